"""In which order old pods are updated: broken ones first, the longest-serving last (cloneset.md §15)."""

from collections.abc import Sequence
from typing import Any

from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.ordering.precedence import (
    creation_age,
    most_restarts,
    phase_rank,
    readiness_age,
)
from kubectl_kruise.engine.cloneset.ordering.scatter import scattered
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.priority import by_priority
from kubectl_kruise.objects.pod import PREPARING_UPDATE, node_of, ready
from kubectl_kruise.objects.raw import Raw, dig


def update_order(view: CloneSet, candidates: Sequence[Member], every: Sequence[Member]) -> list[Member]:
    """Order the candidates among `every` member; those that already prepare for their update come first (§15.4)."""
    ordered = sorted(candidates, key=lambda member: _base(member.pod))
    ordered = by_priority(ordered, view.priority)
    ordered = scattered(ordered, every, view.scatter)
    return sorted(ordered, key=lambda member: member.state != PREPARING_UPDATE)


def _base(pod: Raw) -> tuple[Any, ...]:
    return (
        bool(node_of(pod)),
        phase_rank(pod),
        ready(pod),
        readiness_age(pod),
        -most_restarts(pod),
        -_sidecar_restarts(pod),
        creation_age(pod),
    )


def _sidecar_restarts(pod: Raw) -> int:
    """Give the highest restart count of init containers that keep running."""
    restartable = {
        container.get("name")
        for container in dig(pod, ("spec", "initContainers"), [])
        if container.get("restartPolicy") == "Always"
    }
    statuses = dig(pod, ("status", "initContainerStatuses"), [])
    counts = (int(found.get("restartCount") or 0) for found in statuses if found.get("name") in restartable)
    return max(counts, default=0)

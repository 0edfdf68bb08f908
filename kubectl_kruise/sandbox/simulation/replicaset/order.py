"""Which pods of a ReplicaSet are deleted first (DR6)."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from kubectl_kruise.facts.names import DELETION_COST
from kubectl_kruise.objects.pod import phase, ready, ready_since
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, metadata, uid_of
from kubectl_kruise.objects.timestamp import parse_rfc3339

_PHASES: Final = {"Pending": 0, "Unknown": 1}


def deletion_order(pods: Sequence[Raw], crowd: Mapping[str, int], now: float) -> list[Raw]:
    """Sort pods, the first to go first: unassigned, pending, not ready, cheap, crowded, young, often restarted.

    `crowd` counts by node the pods that serve the same purpose. Ages are compared by their order of magnitude, and
    equal ones by uid, so that not always the youngest pods go.
    """
    return sorted(pods, key=lambda pod: _key(pod, crowd, now))


def _key(pod: Raw, crowd: Mapping[str, int], now: float) -> tuple[object, ...]:
    node = dig(pod, ("spec", "nodeName"), "")
    restarts = sum(status.get("restartCount", 0) for status in dig(pod, ("status", "containerStatuses"), []))
    return (
        bool(node),
        _PHASES.get(phase(pod), 2),
        ready(pod),
        _cost(pod),
        -crowd.get(node, 0),
        _magnitude(ready_since(pod) if ready(pod) else None, now),
        -restarts,
        _magnitude(parse_rfc3339(metadata(pod).get("creationTimestamp")), now),
        uid_of(pod),
    )


def _cost(pod: Raw) -> int:
    try:
        return int(annotations_of(pod).get(DELETION_COST, "0"))
    except ValueError:
        return 0


def _magnitude(since: float | None, now: float) -> int:
    return -1 if since is None or since >= now else int(math.log2((now - since) * 1e9))

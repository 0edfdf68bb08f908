"""A workload's history with what a reader asks of each entry: its pods, its marks, what changed (cli.md §4.5)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_kruise.engine.revisions.delta import Delta, template_deltas
from kubectl_kruise.engine.revisions.listing import Revision, comparable_template, live_revision
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.pod import active, has_revision
from kubectl_kruise.objects.raw import Raw, dig, owner_uid
from kubectl_kruise.objects.workload import Workload

UPDATE, CURRENT = "update", "current"


class Entry(NamedTuple):
    """`deltas` compare with the entry below, None for the first one there is."""

    revision: Revision
    pods: int
    marks: tuple[str, ...]
    deltas: list[Delta] | None


def build_timeline(workload: Workload, revisions: Sequence[Revision], pods: Iterable[Raw]) -> list[Entry]:
    """Describe `revisions` (lowest number first), the newest entry first.

    `pods` may hold others' pods; those of a Deployment are counted by its ReplicaSets.
    """
    marks = _marks(workload, revisions)
    own = [pod for pod in pods if active(pod) and owner_uid(pod) == workload.uid]
    entries: list[Entry] = []
    before: Raw | None = None
    for revision in revisions:
        template = comparable_template(workload, revision.template)
        deltas = None if before is None else template_deltas(before, template)
        entries.append(Entry(revision, _count(workload, revision, own), marks.get(revision.name, ()), deltas))
        before = template
    return entries[::-1]


def _marks(workload: Workload, revisions: Sequence[Revision]) -> dict[str, tuple[str, ...]]:
    """Mark the update and the current revision; an old status does not know the update revision yet."""
    live = live_revision(workload, revisions)
    live_name = live.name if live else ""
    if workload.kind is DEPLOYMENT:
        return {live_name: (CURRENT,)}
    update = workload.update_revision if workload.observed and workload.update_revision else live_name
    found: dict[str, tuple[str, ...]] = {update: (UPDATE,)}
    current = workload.current_revision
    found[current] = (*found.get(current, ()), CURRENT)
    return found


def _count(workload: Workload, revision: Revision, pods: Sequence[Raw]) -> int:
    if workload.kind is DEPLOYMENT:
        return int(dig(revision.raw, ("status", "replicas"), 0))
    return sum(has_revision(pod, revision.name) for pod in pods)

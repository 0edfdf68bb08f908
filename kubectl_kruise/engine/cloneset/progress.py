"""Condition Progressing: whether a rollout goes on, is held or has passed its deadline (cloneset.md §22.4)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw

PROGRESSING: Final = "Progressing"
AVAILABLE: Final = "CloneSetAvailable"
PAUSED: Final = "CloneSetPaused"
PARTITION_AVAILABLE: Final = "ProgressPartitionAvailable"
DEADLINE_EXCEEDED: Final = "ProgressDeadlineExceeded"
UPDATING: Final = "CloneSetUpdated"


class ProgressPlan(NamedTuple):
    """`requeue` is the seconds until the deadline has to be looked at, None where it has not."""

    conditions: list[Raw]
    requeue: float | None


class _Finding(NamedTuple):
    status: str
    reason: str
    message: str


def plan_progress(
    view: CloneSet,
    counts: Mapping[str, int],
    conditions: Sequence[Raw],
    now: float,
    *,
    settled: bool,
    revision: str,
) -> ProgressPlan:
    """Set, keep or remove the condition; `settled`: current and update revision are the same."""
    if view.deadline is None:
        return ProgressPlan([found for found in conditions if found.get("type") != PROGRESSING], None)
    known = condition({"status": {"conditions": list(conditions)}}, PROGRESSING)
    finding = _find(view, counts, known, now, settled=settled, revision=revision)
    entry = _entry(finding, known, now)
    others = [found for found in conditions if found.get("type") != PROGRESSING]
    unchanged = known is not None and entry is known
    kept = list(conditions) if unchanged else [*others, entry]
    return ProgressPlan(kept, _requeue(view.deadline, entry, now) if finding.reason == UPDATING else None)


def _find(
    view: CloneSet, counts: Mapping[str, int], known: Raw | None, now: float, *, settled: bool, revision: str
) -> _Finding:
    expected, arrived = counts["expectedUpdatedReplicas"], counts["updatedAvailableReplicas"]
    if settled and counts["replicas"] == counts["updatedReplicas"] == arrived == view.replicas:
        return _Finding("True", AVAILABLE, "CloneSet is available")
    if view.paused:
        return _Finding("True", PAUSED, "CloneSet is paused")
    if expected < view.replicas and expected <= arrived:
        return _Finding("True", PARTITION_AVAILABLE, "CloneSet has been paused due to partition ready")
    if known is not None and (
        known.get("reason") == DEADLINE_EXCEEDED or _left(view.deadline or 0, known, now) < 0
    ):
        return _Finding("False", DEADLINE_EXCEEDED, f"CloneSet revision {revision} has timed out progressing")
    return _Finding("True", UPDATING, "CloneSet is progressing")


def _entry(finding: _Finding, known: Raw | None, now: float) -> Raw:
    time = rfc3339(now)
    if known is not None and (known.get("status"), known.get("reason")) == finding[:2]:
        return known
    same_status = known is not None and known.get("status") == finding.status
    return {
        "type": PROGRESSING,
        "status": finding.status,
        "reason": finding.reason,
        "message": finding.message,
        "lastUpdateTime": time,
        "lastTransitionTime": (known or {}).get("lastTransitionTime", time) if same_status else time,
    }


def _left(deadline: int, known: Raw, now: float) -> float:
    """Give the seconds until the deadline counted from the condition's last update."""
    return (parse_rfc3339(known.get("lastUpdateTime")) or 0.0) + deadline - now


def _requeue(deadline: int, entry: Raw, now: float) -> float | None:
    left = _left(deadline, entry, now)
    if left >= 1:
        return left + 1
    return left if left > 0 else None

"""The status of a CloneSet and when it is worth a write (cloneset.md §22)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.cloneset.progress import PROGRESSING, plan_progress
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import available, has_revision, update_ready
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import selector_of

FAILED_SCALE: Final = "FailedScale"
FAILED_UPDATE: Final = "FailedUpdate"

_COUNTERS: Final = (
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "updatedReplicas",
    "updatedReadyReplicas",
    "updatedAvailableReplicas",
    "expectedUpdatedReplicas",
)
_ALWAYS_SHOWN: Final = frozenset(_COUNTERS[:5])
_NAMES: Final = ("updateRevision", "currentRevision", "labelSelector")


class StatusPlan(NamedTuple):
    """`write` says whether the status differs enough to be written; `requeue` is in seconds, None for no later look."""

    status: Raw
    write: bool
    requeue: float | None


def plan_status(
    view: CloneSet,
    pods: Sequence[Raw],
    now: float,
    *,
    current_revision: str,
    update_revision: str,
    collisions: int,
    failures: Iterable[tuple[str, str]] = (),
) -> StatusPlan:
    """Compute the status from the claimed active pods; `failures` are (condition type, error text)."""
    counts = count_pods(view, pods, now, update_revision)
    if counts["updatedReplicas"] == counts["replicas"] == view.replicas:
        current_revision = update_revision
    old: Raw = view.raw.get("status") or {}
    names = dict(
        zip(_NAMES, (update_revision, current_revision, str(selector_of(view.selector))), strict=True)
    )
    conditions = list(old.get("conditions") or [])
    for kind, message in failures:
        conditions = _with_failure(conditions, kind, message, now)
    progress = plan_progress(
        view, counts, conditions, now, settled=current_revision == update_revision, revision=update_revision
    )
    status: Raw = {"observedGeneration": view.generation, "collisionCount": collisions}
    status |= {name: value for name, value in counts.items() if value or name in _ALWAYS_SHOWN}
    status |= {name: value for name, value in names.items() if value}
    if progress.conditions:
        status["conditions"] = progress.conditions
    return StatusPlan(status, _differs(old, status), progress.requeue)


def count_pods(view: CloneSet, pods: Sequence[Raw], now: float, update_revision: str) -> dict[str, int]:
    """Give the counters of the status by their field names (§22.1)."""
    counts = dict.fromkeys(_COUNTERS, 0)
    for pod in pods:
        found = {
            "Replicas": True,
            "ReadyReplicas": update_ready(pod, 0, now),
            "AvailableReplicas": available(pod, view.min_ready, now),
        }
        updated = has_revision(pod, update_revision)
        for name, holds in found.items():
            counts[name[0].lower() + name[1:]] += holds
            counts[f"updated{name}"] += holds and updated
    counts["expectedUpdatedReplicas"] = view.expected_updated
    return counts


def _with_failure(conditions: list[Raw], kind: str, message: str, now: float) -> list[Raw]:
    """Add a failure once; one that is there already is left as it is (§22.3)."""
    if condition({"status": {"conditions": conditions}}, kind) is not None:
        return conditions
    return [
        *conditions,
        {"type": kind, "status": "True", "lastTransitionTime": rfc3339(now), "message": message},
    ]


def _differs(old: Raw, new: Raw) -> bool:
    """Say whether the change is one that is written (§22.2): conditions other than Progressing do not count."""
    if int(new["observedGeneration"]) > int(old.get("observedGeneration") or 0):
        return True
    if any(old.get(name, 0) != new.get(name, 0) for name in _COUNTERS):
        return True
    if any(old.get(name, "") != new.get(name, "") for name in _NAMES):
        return True
    return _progressing(old) != _progressing(new)


def _progressing(status: Raw) -> tuple[str, str] | None:
    found = condition({"status": status}, PROGRESSING)
    return None if found is None else (str(found.get("status")), str(found.get("reason")))

"""Move the partition: how many pods stay on the old revision (rollout-operations.md §3, §4, cloneset.md §6.3)."""

import math
from typing import Final, NamedTuple

from kubectl_kruise.engine.changes.change import Change, Decision, Unchanged, same_object, set_field
from kubectl_kruise.engine.statefulset.places import kept_pods, let_go
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, STATEFULSET
from kubectl_kruise.objects.notation.number import IntOrPercent, parse_int_or_percent, partition, strict
from kubectl_kruise.objects.workload import Workload

_FLAPPING: Final = (
    "with that gate and the inPlaceUpdate hook no pod goes back either: they change their state without end until the"
    " partition is lowered"
)
"""cloneset.md §26 Q25."""


class Step(NamedTuple):
    """A relative move: pods, or percent points with `percent`."""

    amount: float
    percent: bool


def parse_partition(text: str) -> IntOrPercent:
    """Read an absolute partition: `3` or `25%`. Raises UsageError, also for negative ones."""
    try:
        value = parse_int_or_percent(text)
    except ValueError as wrong:
        raise UsageError(f"partition: {wrong}") from None
    if _number(value) < 0:
        raise UsageError(f'partition "{text}" is negative', hint="for a relative move: --by")
    return value


def parse_step(text: str) -> Step:
    """Read a relative move: `+2`, `-2`, `+10%`, `-10%`. Raises UsageError."""
    try:
        value = parse_int_or_percent(text)
    except ValueError as wrong:
        raise UsageError(f"--by: {wrong}") from None
    return Step(_number(value), isinstance(value, str))


def plan_partition(workload: Workload, wanted: IntOrPercent | Step) -> Decision:
    """Set the partition, or move it by a step; explain what this does to the pods.

    The partition of a set is a number of pods, whatever is asked for ([S-3] of advanced-statefulset.md §3). Raises
    UsageError for kinds without a partition and for the type OnDelete.
    """
    if not workload.layout.partition:
        raise UsageError(f"{workload.title} has no partition")
    if workload.awaits_deletion:
        raise UsageError(
            f"{workload.title} has update type OnDelete: a partition does not hold back its pods"
        )
    before = workload.partition_value
    value = _moved(workload, wanted) if isinstance(wanted, Step) else wanted
    if workload.kind is STATEFULSET:
        value = value if isinstance(value, int) else partition(value, workload.replicas)
    if value == (0 if before is None else before):
        return Unchanged(f"the partition is {value} already")
    kept = partition(value, workload.replicas)
    operations = [*same_object(workload.raw), *set_field(workload.raw, workload.layout.partition, value)]
    return Change(
        "partitioned", operations, notes=_notes(workload, value, kept), warnings=_warnings(workload, kept)
    )


def _moved(workload: Workload, step: Step) -> IntOrPercent:
    """Move the partition within 0 and all pods; it stays a percentage only if both sides are one."""
    now = workload.partition_value
    if step.percent and isinstance(now, str) and now.endswith("%"):
        return f"{max(0.0, min(100.0, _number(now) + step.amount)):g}%"
    pods = math.ceil(abs(step.amount) * workload.replicas / 100) if step.percent else abs(int(step.amount))
    moved = workload.partition + (pods if step.amount >= 0 else -pods)
    return max(0, min(workload.replicas, moved))


def _notes(workload: Workload, value: IntOrPercent, kept: int) -> tuple[str, ...]:
    replicas, before = workload.replicas, workload.partition
    old = "absent" if workload.partition_value is None else workload.partition_value
    stay = f"{before} → {kept} of {replicas} pods stay on the old revision"
    updated = f"{replicas - before} → {replicas - kept} are to be updated"
    if _idle(workload):
        stay = f"at the next update {kept} of {replicas} pods stay on the old revision"
        updated = f"{replicas - kept} {'is' if replicas - kept == 1 else 'are'} to be updated"
    notes = [f"partition {old} → {value}: {stay}, {updated}", *_named(workload, kept)]
    resolved = strict(value, replicas)
    if resolved > replicas:
        notes.append(f"{value} is more than the {replicas} replicas: it holds back all of them")
    if workload.paused:
        notes.append("the rollout is paused: nothing moves until it is resumed")
    return tuple(notes)


def _named(workload: Workload, kept: int) -> tuple[str, ...]:
    """Name the pods of a set that the partition lets go, and those it keeps (advanced-statefulset.md §13)."""
    if workload.kind is STATEFULSET and not workload.ordered:
        return (
            "its update is unordered: pods that are updated already count first, priorities choose the others",
        )
    updated = _updated(workload, kept)
    go, stay = let_go(workload, kept, updated=updated), kept_pods(workload, kept)
    done = let_go(workload, workload.replicas - updated)
    parts = {"updates": go, "updated already:": done, "keeps": stay}
    told = "; ".join(f"{word} {names}" for word, names in parts.items() if names)
    return (told,) if told else ()


def _updated(workload: Workload, kept: int) -> int:
    """Count the pods beyond `kept` that a rollout under way has updated: it goes from the highest ordinal down."""
    if not workload.observed or _idle(workload):
        return 0
    return min(workload.counter("updatedReplicas") or 0, max(0, workload.replicas - kept))


def _warnings(workload: Workload, kept: int) -> tuple[str, ...]:
    """Warn where a higher partition would want updated pods back; an old status may not show them yet."""
    updated = workload.counter("updatedReplicas") or 0
    too_many = updated - (workload.replicas - kept)
    if kept <= workload.partition or _idle(workload) or (workload.observed and too_many <= 0):
        return ()
    seen = f" ({too_many} of the {updated} updated ones are more than it allows)" if too_many > 0 else ""
    unless = (
        ", unless the manager runs with the gate CloneSetPartitionRollback"
        if workload.kind is CLONESET
        else ""
    )
    hooked = workload.kind is CLONESET and workload.hook("inPlaceUpdate") is not None
    told = f"raising the partition does not roll updated pods back{seen}{unless}; rollout undo does"
    return (told, *((_FLAPPING,) if hooked else ()))


def _idle(workload: Workload) -> bool:
    """Say whether there is no old revision that pods could stay on or go back to."""
    revision = workload.update_revision
    done = revision != "" and revision == workload.current_revision
    return workload.observed and done and workload.counter("updatedReplicas") == workload.counter("replicas")


def _number(value: IntOrPercent) -> float:
    return float(value.removesuffix("%")) if isinstance(value, str) else float(value)

"""Pause and resume (rollout-operations.md §2, §3, §9)."""

from kubectl_kruise.engine.changes.change import Change, Decision, Unchanged, same_object, set_field
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.workload import Workload


def plan_pause(workload: Workload, *, paused: bool) -> Decision:
    """Set or clear the switch that stops updates; nothing to do where it stands right already.

    Raises UsageError for a workload without such a switch, or one whose updates nobody could stop.
    """
    path = workload.layout.paused
    if not path:
        raise UsageError(f"{workload.title} has no switch to pause it")
    if workload.awaits_deletion:
        raise UsageError(
            f"{workload.title} has update type OnDelete: nothing is updated until pods are deleted, so"
            " there is nothing to pause or resume"
        )
    if workload.paused == paused:
        return Unchanged("already paused" if paused else "not paused")
    operations = [*same_object(workload.raw), *set_field(workload.raw, path, paused)]
    return Change("paused" if paused else "resumed", operations)

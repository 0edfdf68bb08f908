"""Pause and resume (rollout-operations.md §2, §3, §9)."""

from kubectl_kruise.engine.changes.change import Change, Decision, Unchanged, same_object, set_field
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import Layout
from kubectl_kruise.objects.raw import Raw, dig, name_of


def plan_pause(live: Raw, layout: Layout, *, paused: bool) -> Decision:
    """Set or clear the switch that stops updates; nothing to do where it stands right already.

    Raises UsageError for a workload without such a switch.
    """
    if not layout.paused:
        kind = live.get("kind")
        raise UsageError(f'{kind} "{name_of(live)}" cannot be paused: its kind has no such switch')
    if bool(dig(live, layout.paused)) == paused:
        return Unchanged("already paused" if paused else "not paused")
    operations = [*same_object(live), *set_field(live, layout.paused, paused)]
    return Change("paused" if paused else "resumed", operations, notes=_idle_notes(live, layout))


def _idle_notes(live: Raw, layout: Layout) -> tuple[str, ...]:
    if dig(live, layout.update_type) == "OnDelete":
        return ("with OnDelete nothing is updated until pods are deleted, paused or not",)
    return ()

"""Why a workload does not do yet what its spec asks, where its rules surprise (cloneset.md §26, advanced-statefulset.md §19.3, §22)."""

from typing import Final

from kubectl_kruise.engine.starvation import starved
from kubectl_kruise.facts.kinds import CLONESET, STATEFULSET
from kubectl_kruise.objects.workload import Workload


def no_update(
    workload: Workload, *, total: int, available: int, hooked: int, waiting: int, unwell: int = 0
) -> str:
    """Say why no further pod can be updated, "" where one can.

    `total` and `available` count the pods there are, `hooked` those that wait for the release of their inPlaceUpdate
    hook, `waiting` the old ones whose turn is still to come, `unwell` the old ones that are not available.
    """
    if workload.one_by_one and unwell:
        if hooked and workload.kind is STATEFULSET:
            return _LOCKED
        return f"{_unwell(unwell, 'old ')}: OrderedReady goes on when {_they(unwell)}"
    if workload.kind is STATEFULSET:
        used = unwell >= workload.max_unavailable and not hooked
        return (
            f"{_unwell(unwell, 'old ')} (maxUnavailable {workload.max_unavailable_value}): no other is updated until"
            f" {_they(unwell)}"
            if used
            else _hooks_use_it_up(workload, total - available, total, hooked, waiting)
        )
    if workload.kind is not CLONESET:
        return ""
    return (
        starved(workload, total=total, available=available)
        or _none_allowed(workload)
        or _hooks_use_it_up(workload, total - available, total, hooked, waiting)
    )


_LOCKED: Final = (
    "a pod held by its inPlaceUpdate hook is never updated under OrderedReady, also when the hook lets it go: take the"
    " template back, or use podManagementPolicy Parallel"
)
_UNDELETED: Final = (
    "a pod held by its preDelete hook is never deleted under OrderedReady, also when the hook lets it go, but where the"
    " set shrinks (podManagementPolicy Parallel has no such trouble)"
)
"""advanced-statefulset.md §15.4, §22 no. 4."""


def lockup_warning(workload: Workload, *, in_place: bool) -> tuple[str, ...]:
    """Warn of hooks under which a set comes to a stop for good, where pods are updated in place or deleted."""
    if workload.kind is not STATEFULSET or not workload.one_by_one or workload.awaits_deletion:
        return ()
    if workload.hook("inPlaceUpdate" if in_place else "preDelete") is None:
        return ()
    return (_LOCKED if in_place else _UNDELETED,)


def unready_warning(workload: Workload) -> tuple[str, ...]:
    """Warn before a new template for a set whose pods are not ready: they may keep it from all others, better or not."""
    unready = (workload.counter("replicas") or 0) - (workload.counter("readyReplicas") or 0)
    if unready <= 0 or workload.awaits_deletion:
        return ()
    if workload.one_by_one:
        return (f"{_unwell(unready, '', 'ready')}: OrderedReady changes nothing until {_they(unready)}",)
    if workload.kind is not STATEFULSET or unready < workload.max_unavailable or _next(workload, unready):
        return ()
    who = f"{_unwell(unready, '', 'ready')} (maxUnavailable {workload.max_unavailable_value})"
    return (f"{who}: pods that come before in the order are not updated until {_they(unready)}",)


def _next(workload: Workload, unready: int) -> bool:
    """Say whether the pods that are not ready come first themselves: such ones are updated at once ([P-58]).

    Those that an update has reached have the highest ordinals; one of them that is ready may come before the others.
    """
    updated = workload.counter("updatedReplicas") or 0
    broken = updated - (workload.counter("updatedReadyReplicas") or 0)
    return unready >= workload.replicas or (workload.ordered and broken == updated == unready)


def _unwell(count: int, old: str, what: str = "available") -> str:
    return f"{count} {old}pod is not {what}" if count == 1 else f"{count} {old}pods are not {what}"


def _they(count: int) -> str:
    return "it is, or is deleted by hand" if count == 1 else "they are, or are deleted by hand"


def no_removal(*, desired: int, total: int, chosen: int) -> str:
    """Say why pods stay that are too many, or that were `chosen` for deletion; "" where nothing holds them (Q6, Q7)."""
    if not chosen:
        return ""
    if total < desired:
        stays = "pod chosen for deletion stays" if chosen == 1 else "pods chosen for deletion stay"
        return f"{chosen} {stays} until the missing ones are made"
    if total - desired > chosen:
        return f"no other goes before the {chosen} chosen for deletion"
    return ""


def _none_allowed(workload: Workload) -> str:
    """Find a maxUnavailable that the manager reads as 0, such as a percentage with decimals (Q4)."""
    if not workload.replicas or workload.awaits_deletion or workload.max_unavailable or workload.max_surge:
        return ""
    return f"no pod can be updated: maxUnavailable {workload.max_unavailable_value} counts as 0, and there is no surge"


def _hooks_use_it_up(workload: Workload, down: int, total: int, hooked: int, waiting: int) -> str:
    """Find pods that have not even begun and already fill the budget (Q22)."""
    room = workload.max_unavailable + total - workload.replicas
    if not hooked or not waiting or down < room:
        return ""
    held = "pod held by its hook counts" if hooked == 1 else "pods held by their hook count"
    return f"{hooked} {held} as unavailable (maxUnavailable {workload.max_unavailable_value}), so no other begins"

"""Why a CloneSet does not do yet what its spec asks, where its rules surprise (cloneset.md §26)."""

from kubectl_kruise.engine.starvation import starved
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.workload import Workload


def no_update(workload: Workload, *, total: int, available: int, hooked: int, waiting: int) -> str:
    """Say why no further pod can be updated, "" where one can.

    `total` and `available` count the pods there are, `hooked` those that wait for the release of their inPlaceUpdate
    hook, `waiting` the old ones whose turn is still to come.
    """
    if workload.kind is not CLONESET:
        return ""
    return (
        starved(workload, total=total, available=available)
        or _none_allowed(workload)
        or _hooks_use_it_up(workload, total - available, total, hooked, waiting)
    )


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

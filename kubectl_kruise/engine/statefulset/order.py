"""Which pods are to get the update revision, and in which order (advanced-statefulset.md §13)."""

from collections.abc import Sequence

from kubectl_kruise.engine.priority import by_priority
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet


def update_order(view: AdvancedStatefulSet, replicas: Sequence[Member], target: str) -> list[Member]:
    """Give the targets of the update, first ones first, those included that have the revision `target` already.

    `replicas` are the places of the set, ascending. Without an order of its own the highest ranks come first ([O-1]).
    With one, pods that are updated or end use up the number of targets before any other pod does ([O-2]).
    """
    limit = max(0, len(replicas) - view.partition)
    descending = replicas[::-1]
    if not view.unordered:
        return list(descending[:limit])
    first: list[Member] = []
    second: list[Member] = []
    preparing = view.gates.preparing_update_as_update
    for member in descending:
        begun = member.terminating or member.updated(target, preparing_as_update=preparing)
        (first if begun else second).append(member)
    return [*first, *by_priority(second, view.priority)][:limit]

"""Which pod stands where: the places of a set and the pods outside them (advanced-statefulset.md §12.1, §12.2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_kruise.engine.statefulset.creation import new_pod
from kubectl_kruise.engine.statefulset.member import Member, member_of
from kubectl_kruise.engine.statefulset.ordinals import ordinals_of, split_name
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, name_of


@dataclass(frozen=True, slots=True)
class Slots:
    """`replicas` has a member per place, ascending, so that its index is the rank: those missing are made to be created.

    `condemned` have no place and come in the order in which they go, highest ordinal first. `claimed` is every pod
    that belongs to the set, seen in the same way.
    """

    replicas: tuple[Member, ...]
    condemned: tuple[Member, ...]
    claimed: tuple[Member, ...]

    @property
    def first_unhealthy(self) -> Member | None:
        """The pod with the lowest ordinal that is not healthy, of places and condemned alike ([P-6])."""
        unhealthy = (member for member in (*self.replicas, *self.condemned) if not member.healthy)
        return min(unhealthy, key=lambda member: member.ordinal, default=None)


def assign_slots(
    view: AdvancedStatefulSet, pods: Iterable[Raw], *, current: Raw, update: Raw, now: float
) -> Slots:
    """Put the claimed pods into their places and make pods for the empty ones; revisions are ControllerRevisions."""
    ordinals = ordinals_of(view.start, view.replicas, view.reserved)
    claimed = tuple(member_of(view, pod, split_name(name_of(pod)).ordinal, now) for pod in pods)
    places: dict[int, Member | None] = dict.fromkeys(ordinals)
    condemned = []
    for member in claimed:
        if member.ordinal in places:
            places[member.ordinal] = member
        elif member.ordinal >= 0:
            condemned.append(member)
    return Slots(
        replicas=_filled(view, places, current, update, now),
        condemned=tuple(sorted(condemned, key=lambda member: -member.ordinal)),
        claimed=claimed,
    )


def _filled(
    view: AdvancedStatefulSet, places: dict[int, Member | None], current: Raw, update: Raw, now: float
) -> tuple[Member, ...]:
    """Fill the empty places in ascending order: each new pod counts for the choice of the next one's revision."""
    target, preparing = name_of(update), view.gates.preparing_update_as_update
    old = sum(
        not member.updated(target, preparing_as_update=preparing) for member in places.values() if member
    )
    time = rfc3339(now)
    filled = []
    for rank, (ordinal, member) in enumerate(places.items()):
        if member is None:
            revision = current if _takes_current(view, ordinal, rank, old) else update
            member = member_of(view, new_pod(view, revision, ordinal, time), ordinal, now)  # noqa: PLW2901
            old += not member.updated(target, preparing_as_update=preparing)
        filled.append(member)
    return tuple(filled)


def _takes_current(view: AdvancedStatefulSet, ordinal: int, rank: int, old: int) -> bool:
    """Say whether a new pod is made of the current revision (§12.2); `old` counts the pods that are not updated."""
    if not view.rolls:
        return False
    if not view.rolling:
        return ordinal < view.start + view.current_replicas
    return (old if view.unordered else rank) < view.partition

"""The last phase: pods that somebody chose are deleted, then those with another revision are updated (advanced-statefulset.md §12.6)."""

from collections.abc import Collection
from dataclasses import dataclass, field

from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.lifecycle import Entry, entry
from kubectl_kruise.engine.statefulset.deletion import deletion_of
from kubectl_kruise.engine.statefulset.member import Member, in_place_done
from kubectl_kruise.engine.statefulset.order import update_order
from kubectl_kruise.engine.statefulset.refresh import Refreshes
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import (
    Counter,
    Fail,
    Hold,
    InPlace,
    Phase,
    PrepareUpdate,
    ResizeClaims,
    Step,
    Stop,
)
from kubectl_kruise.engine.statefulset.verdicts import Verdicts
from kubectl_kruise.facts.policies import IN_PLACE_ONLY
from kubectl_kruise.objects.raw import Raw, name_of


def plan_refreshing(situation: Situation, refreshes: Refreshes, done: Collection[str]) -> Phase:
    """Bring every claimed pod forward that the places have not ([P-50]–[P-53]); `done` are names of pods they have.

    A pod that changes its lifecycle state ends the pass, whichever phase changes it.
    """
    if situation.view.on_delete:
        return Phase(stop=Stop("pods are updated when somebody deletes them"))
    if situation.expecting:
        return Phase(stop=Stop(f"the update of pod {situation.expecting} has not been seen yet"))
    steps: list[Step] = []
    waits = []
    moving: Member | None = None
    for member in situation.slots.claimed:
        refresh = refreshes.get(member.name)
        if refresh is None:
            continue
        if isinstance(refresh, Fail):
            return Phase((*steps, refresh), Stop(refresh.message, member))
        if member.name not in done:
            steps.append(refresh)
        waits += [float(refresh.in_place.wait)] if refresh.in_place.wait else []
        moving = moving or (member if refresh.state else None)
    stop = None
    if moving is not None:
        stop = Stop(f"pod {moving.name} changes its lifecycle state first", moving)
    elif situation.view.paused:
        stop = Stop("paused")
    return Phase(tuple(steps), stop, min(waits, default=0.0))


@dataclass(slots=True)
class _Walk:
    """The walk over chosen pods and targets. `down` names the unavailable replicas, `deleted` those chosen and gone."""

    situation: Situation
    down: dict[str, str]
    verdicts: Verdicts
    deleted: set[str] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    held: list[Stop] = field(default_factory=list)

    def full(self, member: Member) -> bool:
        """Say whether taking the pod down would be one more than may be unavailable ([P-56], [P-57] c)."""
        return len(self.down) >= self.situation.view.unavailable and member.name not in self.down

    def why_full(self, member: Member) -> Stop:
        most, names = self.situation.view.unavailable, ", ".join(sorted(self.down)[:3])
        more = f" and {len(self.down) - 3} more" if len(self.down) > 3 else ""
        return Stop(
            f"pod {member.name} waits: at most {most} may be unavailable, {names}{more} are"
            if len(self.down) > 1
            else f"pod {member.name} waits: at most {most} may be unavailable, {names} is",
            member,
        )

    def phase(self, stop: Stop | None = None) -> Phase:
        return Phase(tuple(self.steps), stop, min(self.waits, default=0.0), held=tuple(self.held))


def plan_update(situation: Situation) -> Phase:
    """Decide what is deleted and updated, in order, within what may be unavailable ([P-54]–[P-59])."""
    walk = _Walk(situation, {}, Verdicts(situation))
    for member in situation.slots.replicas:
        if reason := unavailability(situation, member):
            walk.down[member.name] = reason
            if member.wait and member.healthy:
                walk.waits.append(member.wait)
    _delete_chosen(walk)
    for member in update_order(situation.view, situation.slots.replicas, situation.target):
        if (phase := _update(walk, member)) is not None:
            return phase
    return walk.phase()


def unavailability(situation: Situation, member: Member) -> str:
    """Say why a replica counts as unavailable, "" where it does not ([P-55])."""
    if not member.created:
        return "is missing"
    if not member.healthy:
        return "terminates" if member.terminating else "is not ready" if not member.ready else member.state
    if not in_place_done(situation.view, member):
        return "is being updated in place"
    if not member.available:
        return "has not been ready for long enough"
    return "" if situation.volumes_ready(member) else "has a volume that is to grow"


def _delete_chosen(walk: _Walk) -> None:
    for member in reversed(walk.situation.slots.replicas):
        if not member.specified:
            continue
        if walk.full(member):
            walk.held.append(walk.why_full(member))
            continue
        walk.steps.append(
            deletion_of(walk.situation.view, member, "somebody chose it", _lowers(walk.situation, member))
        )
        walk.down[member.name] = "is deleted"
        walk.deleted.add(member.name)


def _update(walk: _Walk, member: Member) -> Phase | None:
    """Take one target; give the phase where the walk ends with it."""
    situation = walk.situation
    compatible = situation.claims_compatible(member)
    if member.revision == situation.target and compatible:
        return None
    if walk.full(member):
        return walk.phase(walk.why_full(member))
    if not compatible:
        walk.steps.append(ResizeClaims(member))
    if not situation.claims_completed(member):
        walk.down[member.name] = "has a volume that is to grow"
        walk.held.append(Stop(f"pod {member.name} waits for its volumes to grow", member))
        return None
    if member.name in walk.deleted or member.terminating:
        return None
    step = _change(walk, member)
    walk.steps.append(step)
    if isinstance(step, Fail):
        return walk.phase(Stop(step.message, member))
    if isinstance(step, InPlace) and step.change.grace_seconds > 0:
        walk.waits.append(float(step.change.grace_seconds))
    walk.down[member.name] = "is updated"
    return None


def _change(walk: _Walk, member: Member) -> Step:
    """Choose between an update in place and deletion (§14.1)."""
    situation = walk.situation
    view = situation.view
    lowers = Counter.CURRENT if member.revision == name_of(situation.current) else None
    change, reason = walk.verdicts.of(member.revision)
    if change is not None:
        return _in_place(view.hook("inPlaceUpdate"), member, change, lowers)
    if view.policy == IN_PLACE_ONLY:
        return Fail(f"pod {member.name} can only be updated in place, and cannot: {reason}", member)
    return deletion_of(view, member, reason, lowers)


def _in_place(hook: Raw | None, member: Member, change: Change, lowers: Counter | None) -> Step:
    way = entry(member.pod, hook)
    match way:
        case Entry.CHANGE:
            return InPlace(member, change, lowers)
        case Entry.PREPARE | Entry.REHOOK:
            return PrepareUpdate(member, rehook=way is Entry.REHOOK, lowers=lowers)
        case Entry.HELD | Entry.SETTLING:
            return Hold(member, way.value, lowers)
    return Fail(f"pod {member.name} cannot be updated in state {member.state}", member)


def _lowers(situation: Situation, member: Member) -> Counter | None:
    """Say which counter a pod leaves that is deleted because somebody chose it ([ST-3])."""
    if member.revision == name_of(situation.current):
        return Counter.CURRENT
    return Counter.UPDATED if member.revision == situation.target else None

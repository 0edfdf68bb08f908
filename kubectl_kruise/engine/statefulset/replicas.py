"""The first phase: pods in their places are created, mended and brought forward (advanced-statefulset.md §12.3)."""

from dataclasses import dataclass, field
from enum import Enum

from kubectl_kruise.engine.statefulset.claims import stale_claim
from kubectl_kruise.engine.statefulset.deletion import deletion_of
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.ordinals import identity_matches, storage_matches
from kubectl_kruise.engine.statefulset.refresh import Refreshes
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import Create, EnsureClaims, Fail, Phase, Repair, Step, Stop


class _Go(Enum):
    """Where the walk over the places goes after one of them."""

    ON = "to the next place"
    BREAK = "no further, but the pass does"
    STOP = "the pass ends"


@dataclass(slots=True)
class _Walk:
    """The walk so far. `budget` is what is left of the scale budget, None for no limit ([P-27])."""

    situation: Situation
    refreshes: Refreshes
    budget: int | None
    steps: list[Step] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    held: list[Stop] = field(default_factory=list)
    stop: Stop | None = None

    def consume(self, member: Member, reason: str) -> bool:
        """Take one unit of the scale budget; say whether it is used up by that."""
        if self.budget is None:
            return False
        self.budget -= 1
        if self.budget > 0:
            return False
        self.held.append(Stop(f"scaling waits: {reason}, and no more pods may be unavailable", member))
        return True

    def end(self, member: Member, reason: str) -> _Go:
        self.stop = Stop(reason, member)
        return _Go.STOP

    def fail(self, step: Fail) -> _Go:
        self.steps.append(step)
        self.stop = Stop(step.message, step.member)
        return _Go.STOP


def plan_replicas(situation: Situation, refreshes: Refreshes) -> Phase:
    """Decide the phase, place by place in ascending order; OrderedReady ends at the first that is not as it should be."""
    walk = _Walk(situation, refreshes, situation.view.scale_unavailable)
    for member in situation.slots.replicas:
        if _visit(walk, member) is not _Go.ON:
            break
    return Phase(
        steps=tuple(walk.steps), stop=walk.stop, wait=min(walk.waits, default=0.0), held=tuple(walk.held)
    )


def _visit(walk: _Walk, member: Member) -> _Go:
    if member.finished:
        return _replace(walk, member)
    if not member.created:
        return _create(walk, member)
    view = walk.situation.view
    if member.phase == "Pending" and _needs_claims(walk.situation, member):
        walk.steps.append(EnsureClaims(member))
    if member.terminating:
        if view.monotonic:
            return walk.end(member, f"pod {member.name} has to be gone first")
        if walk.consume(member, f"pod {member.name} terminates"):
            return _Go.BREAK
    refresh = walk.refreshes.get(member.name)
    if isinstance(refresh, Fail):
        return walk.fail(refresh)
    if refresh is not None:
        walk.steps.append(refresh)
        walk.waits += [float(refresh.in_place.wait)] if refresh.in_place.wait else []
    if not member.available and (view.monotonic or walk.budget is not None):
        walk.waits += [member.wait] if member.wait else []
        if view.monotonic:
            return walk.end(member, f"pod {member.name} has to be available first")
        if walk.consume(member, f"pod {member.name} is not available"):
            return _Go.BREAK
    if not _in_place_order(walk.situation, member):
        walk.steps.append(Repair(member))
    return _Go.ON


def _replace(walk: _Walk, member: Member) -> _Go:
    """Delete a pod that has ended, unless the scale budget ends with it ([P-20])."""
    view, state = walk.situation.view, member.phase.lower()
    if walk.consume(member, f"pod {member.name} has {state}"):
        return _Go.BREAK
    if not member.terminating:
        walk.steps.append(deletion_of(view, member, f"it has {state}"))
    if view.monotonic:
        return walk.end(member, f"pod {member.name} has {state} and is made again first")
    return _Go.ON


def _create(walk: _Walk, member: Member) -> _Go:
    """Create a pod that is missing, unless a claim of an earlier one is still in its way ([P-21])."""
    view = walk.situation.view
    if stale_claim(view, member.name, member.ordinal, walk.situation.claims):
        reason = f"a volume claim of pod {member.name} still belongs to the one before it"
        if view.monotonic:
            return walk.end(member, reason)
        walk.held.append(Stop(reason, member))
        return _Go.ON
    walk.steps.append(Create(member))
    if view.monotonic:
        return walk.end(member, f"pod {member.name} has to be available first")
    return _Go.BREAK if walk.consume(member, f"pod {member.name} is new") else _Go.ON


def _needs_claims(situation: Situation, member: Member) -> bool:
    return situation.claims_missing(member) or not situation.claims_owned(member)


def _in_place_order(situation: Situation, member: Member) -> bool:
    """Say whether identity, storage and the owners of claims are those of the place ([P-26])."""
    view = situation.view
    return (
        identity_matches(member.pod, view.name, view.namespace, member.ordinal)
        and storage_matches(member.pod, view.name, member.ordinal, view.claim_names)
        and situation.claims_owned(member)
    )

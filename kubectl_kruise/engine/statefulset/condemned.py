"""The second phase: pods without a place go (advanced-statefulset.md §12.4, §12.5)."""

from kubectl_kruise.engine.statefulset.deletion import deletion_of
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import OwnClaims, Phase, PrepareDelete, Step, Stop

_REASON = "the set has no place for it"


def plan_claim_owners(situation: Situation) -> Phase:
    """Hand the claims of condemned pods over, under gate StatefulSetAutoDeletePVC ([P-30])."""
    view = situation.view
    if not view.gates.auto_delete_claims or not view.claim_templates:
        return Phase()
    return Phase(steps=tuple(OwnClaims(member) for member in situation.slots.condemned))


def plan_condemned(situation: Situation) -> Phase:
    """Decide which condemned pods go: in Parallel all at once, in OrderedReady one by one from the highest ordinal."""
    condemned = situation.slots.condemned
    if situation.view.monotonic:
        return _one_by_one(situation, condemned)
    steps = tuple(
        deletion_of(situation.view, member, _REASON) for member in condemned if not member.terminating
    )
    return Phase(steps=steps, together=True)


def _one_by_one(situation: Situation, condemned: tuple[Member, ...]) -> Phase:
    first = situation.slots.first_unhealthy
    steps: list[Step] = []
    for member in condemned:
        if member.terminating:
            return Phase(tuple(steps), Stop(f"pod {member.name} has to be gone first", member))
        if not member.available and member is not first:
            return Phase(tuple(steps), _waits(member, first))
        step = deletion_of(situation.view, member, _REASON)
        steps.append(step)
        if not isinstance(step, PrepareDelete) or step.enters:
            return Phase(tuple(steps), Stop(f"pod {member.name} has to be gone first", member))
    return Phase(tuple(steps))


def _waits(member: Member, first: Member | None) -> Stop:
    """Say what an unavailable pod waits for: the lowest pod that is not healthy, else only for itself."""
    if first is None:
        return Stop(f"pod {member.name} has to be available before it goes", member)
    return Stop(f"pod {member.name} is not available and has to wait for pod {first.name}", first)

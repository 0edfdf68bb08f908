"""The scale phase: what one pass creates, deletes or takes back (cloneset.md §11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_kruise.engine.cloneset.calculator import Difference
from kubectl_kruise.engine.cloneset.deletion import Topology, pick_for_deletion
from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.pod import PREPARING_DELETE, hooked, state
from kubectl_kruise.objects.raw import Raw

_AS_WANTED = "the number of pods is as wanted"


@dataclass(frozen=True, slots=True)
class Deletion:
    """`held`: a preDelete hook stands before the deletion, so the pod only moves to PreparingDelete."""

    pod: Raw
    held: bool

    @property
    def changes(self) -> bool:
        """Whether there is anything to do: a held pod that prepares for its deletion already only waits."""
        return not self.held or state(self.pod) != PREPARING_DELETE


@dataclass(frozen=True, slots=True)
class ScalePlan:
    """One pass of scaling: at most one of `revive`, `create_*` and `deletions` is filled.

    `limited` is set where fewer pods are created than are missing: the number that may be.
    """

    revive: tuple[Raw, ...] = ()
    create_old: int = 0
    create_new: int = 0
    deletions: tuple[Deletion, ...] = ()
    limited: int | None = None
    reason: str = _AS_WANTED

    @property
    def modifies(self) -> bool:
        """Whether the pass changes anything, after which the update phase has to wait for the next one."""
        created = self.create_old + self.create_new
        return bool(self.revive or created or any(deletion.changes for deletion in self.deletions))


def plan_revival(view: CloneSet, members: Sequence[Member]) -> ScalePlan | None:
    """Take pods back that were to be deleted and are wanted again (§11.2); None where there are none.

    A hook that marks pods not ready leaves no way back.
    """
    if any((view.hook(name) or {}).get("markPodNotReady") for name in ("preDelete", "inPlaceUpdate")):
        return None
    planned = sum(member.specified or member.preparing_delete for member in members)
    missing = max(view.replicas - len(members) + planned, 0)
    candidates = [member.pod for member in members if member.preparing_delete and not member.specified]
    revive = tuple(candidates[:missing])
    if not revive:
        return None
    return ScalePlan(revive=revive, reason=f"{len(revive)} pods to be deleted are wanted again")


def plan_scale(
    view: CloneSet, members: Sequence[Member], difference: Difference, topology: Topology
) -> ScalePlan:
    """Decide the scale phase of one pass; `difference` is calculated from the same members."""
    if (revival := plan_revival(view, members)) is not None:
        return revival
    if difference.up > 0:
        return _scale_out(difference)
    preparing = [member for member in members if member.preparing_delete]
    deletions = [_deletion(view, member) for member in preparing]
    if any(not deletion.held for deletion in deletions):
        return ScalePlan(deletions=tuple(deletions), reason="pods are released by their preDelete hook")
    chosen = [member for member in members if member.specified and not member.preparing_delete]
    taken = _affordable(chosen, difference.ready_budget)
    deletions += [_deletion(view, member) for member in taken]
    if taken:
        reason = f"{len(taken)} of {len(chosen)} chosen pods can be deleted now"
        return ScalePlan(deletions=tuple(deletions), reason=reason)
    if difference.down == 0:
        reason = "chosen pods have to wait: too few others are available" if chosen else _AS_WANTED
        return ScalePlan(deletions=tuple(deletions), reason=reason)
    if chosen or preparing:
        reason = "deletions already planned have to finish before scaling in"
        return ScalePlan(deletions=tuple(deletions), reason=reason)
    surplus = _affordable(_surplus(view, members, difference, topology), difference.ready_budget)
    if not surplus:
        return ScalePlan(reason="surplus pods have to wait: too few others are available")
    return ScalePlan(
        deletions=tuple(_deletion(view, member) for member in surplus),
        reason=f"{len(surplus)} pods too many",
    )


def _scale_out(difference: Difference) -> ScalePlan:
    """Create what is missing, old pods first; while pods are missing nothing is deleted (§11.4)."""
    count = difference.up_limit
    old = min(count, difference.up_old)
    limited = count if count < difference.up else None
    reason = f"{difference.up} pods are missing"
    if limited is not None:
        reason += f", {difference.unavailable} are not available: {count} may be created now"
    return ScalePlan(create_old=old, create_new=count - old, limited=limited, reason=reason)


def _deletion(view: CloneSet, member: Member) -> Deletion:
    return Deletion(member.pod, held=hooked(view.hook("preDelete"), member.pod))


def _affordable(members: Sequence[Member], budget: int) -> list[Member]:
    """Take members in order: those that are down freely, those that are up within the budget."""
    taken = []
    for member in members:
        if not member.up:
            taken.append(member)
        elif budget > 0:
            taken.append(member)
            budget -= 1
    return taken


def _surplus(
    view: CloneSet, members: Sequence[Member], difference: Difference, topology: Topology
) -> list[Member]:
    """Choose the pods to scale in: as many old ones as there are too many, the rest new ones (§11.7)."""
    from_old = min(difference.down_old, difference.down)
    old = [member for member in members if not member.new]
    new = [member for member in members if member.new]
    picked = pick_for_deletion(old, from_old, view.template, topology)
    return picked + pick_for_deletion(new, difference.down - from_old, view.template, topology)

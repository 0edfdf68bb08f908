"""The update phase: which pods change their revision now, and how (cloneset.md §14.2–14.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_kruise.engine.cloneset.calculator import Difference
from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.ordering.order import update_order
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.inplace.state import grace_annotation
from kubectl_kruise.engine.lifecycle import Entry, entry
from kubectl_kruise.facts.policies import IN_PLACE_ONLY, RECREATE
from kubectl_kruise.objects.pod import UPDATED, has_revision
from kubectl_kruise.objects.raw import Raw, name_of


@dataclass(frozen=True, slots=True)
class Recreate:
    """Label the pod for deletion; the scale phase deletes and replaces it."""

    pod: Raw
    revision: str
    reason: str


@dataclass(frozen=True, slots=True)
class InPlace:
    pod: Raw
    change: Change


@dataclass(frozen=True, slots=True)
class Prepare:
    """Move to PreparingUpdate; `rehook` puts the hook's labels and finalizers back."""

    pod: Raw
    rehook: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do for this pod in this pass."""

    pod: Raw
    reason: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """The pod cannot be updated as the strategy demands: the phase fails here."""

    pod: Raw
    message: str


Step = Recreate | InPlace | Prepare | Wait | Refuse


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """Steps in order. `target` is the revision the pods move to, `held_back` counts candidates beyond the budget."""

    steps: tuple[Step, ...] = ()
    target: str = ""
    held_back: int = 0
    reason: str = "every pod is of the revision it should have"


def plan_update(
    view: CloneSet,
    members: Sequence[Member],
    difference: Difference,
    revisions: Sequence[Raw],
    *,
    current: Raw,
    update: Raw,
) -> UpdatePlan:
    """Decide the update phase of one pass; revisions are the listed ControllerRevisions, old contents by their pods."""
    if view.on_delete:
        return UpdatePlan(reason="pods are updated when somebody deletes them")
    if view.paused:
        return UpdatePlan(reason="paused")
    if difference.move == 0:
        return UpdatePlan()
    target = update if difference.move > 0 else current
    picked = pick_candidates(members, forward=difference.move > 0)
    candidates = update_order(view, picked, members)[: abs(difference.move)]
    chosen = limit_to_budget(candidates, members, name_of(target), difference.ceiling)
    known: dict[str, tuple[Change | None, str]] = {}
    steps = tuple(_step(view, member, revisions, target, known) for member in chosen)
    return UpdatePlan(
        steps=steps,
        target=name_of(target),
        held_back=len(candidates) - len(chosen),
        reason=f"{abs(difference.move)} pods to move, {len(chosen)} now: at most {difference.ceiling} unavailable",
    )


def pick_candidates(members: Sequence[Member], *, forward: bool) -> list[Member]:
    """List the pods that may change now (§14.3): not those being deleted or still in a grace period."""
    return [
        member
        for member in members
        if member.new != forward
        and not member.preparing_delete
        and (member.state == UPDATED or not grace_annotation(member.pod))
    ]


def limit_to_budget(
    candidates: Sequence[Member], members: Sequence[Member], target: str, ceiling: int
) -> list[Member]:
    """Cut the ordered candidates where one more would exceed the ceiling (§14.4).

    Pods that are down add nothing, but of the target revision no more than the ceiling may be down at once.
    """
    down = sum(not member.available for member in members)
    down_at_target = sum(not member.available and has_revision(member.pod, target) for member in members)
    taken = 0
    for candidate in candidates:
        if down_at_target + taken >= ceiling:
            break
        if candidate.available:
            if down >= ceiling:
                break
            down += 1
        taken += 1
    return list(candidates[:taken])


def _step(
    view: CloneSet,
    member: Member,
    revisions: Sequence[Raw],
    target: Raw,
    known: dict[str, tuple[Change | None, str]],
) -> Step:
    pod = member.pod
    if view.policy == RECREATE:
        return Recreate(pod, name_of(target), "the strategy recreates pods")
    change, reason = _change(view, pod, revisions, target, known)
    if change is not None:
        return _in_place(view, member, change)
    if view.policy == IN_PLACE_ONLY:
        return Refuse(
            pod, f"find Pod {member.name} update strategy is InPlaceOnly but can not update in-place"
        )
    return Recreate(pod, name_of(target), reason)


def _change(
    view: CloneSet,
    pod: Raw,
    revisions: Sequence[Raw],
    target: Raw,
    known: dict[str, tuple[Change | None, str]],
) -> tuple[Change | None, str]:
    """Decide once per revision of origin."""
    origin = next((revision for revision in revisions if has_revision(pod, name_of(revision))), None)
    key = name_of(origin) if origin else ""
    if key not in known:
        known[key] = pick_change(
            origin,
            target,
            view.gates,
            grace_seconds=view.grace_seconds,
            in_place_only=view.policy == IN_PLACE_ONLY,
        )
    return known[key]


def _in_place(view: CloneSet, member: Member, change: Change) -> Step:
    """Choose by lifecycle state (§14.6, second table)."""
    way = entry(member.pod, view.hook("inPlaceUpdate"))
    match way:
        case Entry.CHANGE:
            return InPlace(member.pod, change)
        case Entry.PREPARE | Entry.REHOOK:
            return Prepare(member.pod, rehook=way is Entry.REHOOK)
        case Entry.HELD | Entry.SETTLING:
            return Wait(member.pod, way.value)
    return Refuse(member.pod, f"pod {member.name} is in the unknown lifecycle state {member.state}")

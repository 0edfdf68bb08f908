"""Why a set does not go on, as its controller's next pass would find it (advanced-statefulset.md §18 no. 6)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.revisions.choice import choose_current
from kubectl_kruise.engine.statefulset.forecast import forecast
from kubectl_kruise.engine.statefulset.ordinals import claim_name
from kubectl_kruise.engine.statefulset.places import places_of
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.slots import Slots, assign_slots
from kubectl_kruise.engine.statefulset.steps import Create, Delete, InPlace, PrepareUpdate, Stop
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet, read_statefulset
from kubectl_kruise.objects.raw import Raw, deleting, name_of
from kubectl_kruise.objects.workload import Workload

_ACTS: Final = (Create, Delete, InPlace, PrepareUpdate)
"""What moves a pod, so that nothing stands still."""


def why_waiting(
    workload: Workload, pods: Sequence[Raw], revisions: Sequence[Raw], claims: Mapping[str, Raw], now: float
) -> tuple[str, ...]:
    """Give what holds a set up, each as a sentence; () where the next pass goes on, and where it cannot be told.

    `pods` are its own, `revisions` its ControllerRevisions, `claims` the volume claims of the namespace by their names.
    The manager's gates are not known: they are taken to be what they are by default.
    """
    update = next((each for each in revisions if name_of(each) == workload.update_revision), None)
    if update is None or not workload.observed:
        return ()
    places = places_of(workload, pods)
    view = read_statefulset(
        workload.raw, Gates(start_ordinal=bool(places and places.start), vertical_scaling=True)
    )
    current = choose_current(workload.raw, revisions, update)
    slots = assign_slots(view, pods, current=current, update=update, now=now)
    situation = Situation(view, slots, current, update, revisions, claims.get, now)
    in_the_way = [*_claims_going(view, slots, claims), *_volumes_missing(view, slots, claims)]
    if not in_the_way and any(
        isinstance(step, _ACTS) for phase in plan_pass(situation) for step in phase.steps
    ):
        return ()
    return tuple(dict.fromkeys([*in_the_way, *map(_told, forecast(situation).blockers)]))


def _told(stop: Stop) -> str:
    named = stop.member is None or stop.member.name in stop.reason
    return stop.reason if named or stop.member is None else f"pod {stop.member.name}: {stop.reason}"


def _claims_going(view: AdvancedStatefulSet, slots: Slots, claims: Mapping[str, Raw]) -> Iterator[str]:
    """Find pods that cannot be made because a claim of theirs is being deleted ([V-2])."""
    for member in slots.replicas:
        names = (
            []
            if member.created
            else [claim_name(each, view.name, member.ordinal) for each in view.claim_names]
        )
        for name in names:
            if name in claims and deleting(claims[name]):
                yield f"pod {member.name} is made when its old volume claim {name} is gone, which is being deleted"


def _volumes_missing(view: AdvancedStatefulSet, slots: Slots, claims: Mapping[str, Raw]) -> Iterator[str]:
    """Find claim templates that came after their pods: repairing those is refused, and stops everything (§22 no. 7).

    A pod that runs has a claim for every template that there was when it was made.
    """
    running = [member for member in slots.replicas if member.created and member.phase != "Pending"]
    for template in view.claim_names:
        if any(claim_name(template, view.name, member.ordinal) not in claims for member in running):
            yield (
                f"claim template {template} came after pods that have no volume of it: nothing goes on until it is taken"
                " out of spec.volumeClaimTemplates, or they are deleted"
            )

"""Bringing a pod's in-place update and its lifecycle a step forward (advanced-statefulset.md §14.5, §15.2)."""

from collections.abc import Mapping

from kubectl_kruise.engine.inplace.execution import plan_refresh
from kubectl_kruise.engine.inplace.readiness import in_service
from kubectl_kruise.engine.lifecycle import next_state
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.steps import Fail, Refresh
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.pod import NORMAL

Refreshes = Mapping[str, Refresh | Fail]
"""What the pods of a set need by themselves, by their names; those that are as they should be are not in it."""


def plan_refreshes(situation: Situation) -> Refreshes:
    """Decide for every claimed pod, once per pass: places and updates carry it out, whichever meets the pod first."""
    found = ((member.name, _refresh(situation, member)) for member in situation.slots.claimed)
    return {name: refresh for name, refresh in found if refresh is not None}


def _refresh(situation: Situation, member: Member) -> Refresh | Fail | None:
    if not member.recorded and member.state in ("", NORMAL) and in_service(member.pod):
        return None  # most pods, most of the time
    view = situation.view
    scaling = view.gates.vertical_scaling
    try:
        in_place = plan_refresh(member.pod, situation.now, vertical_scaling=scaling)
    except RefusedError as error:
        return Fail(str(error), member)
    state = ""
    if member.state not in ("", NORMAL):
        state = next_state(
            member.pod, view.lifecycle, situation.target, vertical_scaling=scaling, needs_node=False
        )
    if not state and in_place.pod is None and in_place.status is None and not in_place.wait:
        return None
    return Refresh(member, in_place, state)

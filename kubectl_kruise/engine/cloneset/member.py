"""A pod of a CloneSet with everything decided about it that counting and choosing need (cloneset.md §7, §10.1)."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects import pod as pods
from kubectl_kruise.objects.raw import Raw, name_of


class Member(NamedTuple):
    """`new`: of the update revision as this phase counts it; `available` minds minReadySeconds, `up` does not."""

    pod: Raw
    name: str
    state: str
    new: bool
    specified: bool
    available: bool
    up: bool

    @property
    def preparing_delete(self) -> bool:
        return self.state == pods.PREPARING_DELETE


def members_for_scale(
    view: CloneSet, listed: Iterable[Raw], update_revision: str, now: float
) -> list[Member]:
    """See the pods as the scale phase does: under gate PreparingUpdateAsUpdate waiting pods count as new."""
    preparing = view.gates.preparing_update_as_update
    return [
        _member(view, pod, now, new=pods.new_for_scale(pod, update_revision, preparing_as_update=preparing))
        for pod in listed
    ]


def members_for_update(
    view: CloneSet, listed: Iterable[Raw], update_revision: str, now: float
) -> list[Member]:
    """See the pods as the update phase does: by their revision alone."""
    return [_member(view, pod, now, new=pods.has_revision(pod, update_revision)) for pod in listed]


def _member(view: CloneSet, pod: Raw, now: float, *, new: bool) -> Member:
    return Member(
        pod=pod,
        name=name_of(pod),
        state=pods.state(pod),
        new=new,
        specified=pods.specified(pod, view.to_delete),
        available=pods.available(pod, view.min_ready, now),
        up=pods.available_for_deletion(pod, now),
    )

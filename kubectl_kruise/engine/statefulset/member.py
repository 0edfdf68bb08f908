"""A pod of a set with what every phase of a pass asks of it, seen once (advanced-statefulset.md §11)."""

from typing import NamedTuple

from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects import pod as pods
from kubectl_kruise.objects.raw import Raw, deleting, labels_of, name_of


class Member(NamedTuple):
    """`revision` and `state` are the labels; `wait` is the seconds until time alone makes the pod available, else 0.

    A pod that is still to be created has no phase, and for the rest what it will be created with.
    """

    pod: Raw
    name: str
    ordinal: int
    revision: str
    state: str
    phase: str
    terminating: bool
    ready: bool
    available: bool
    wait: float

    @property
    def created(self) -> bool:
        return self.phase != ""

    @property
    def finished(self) -> bool:
        return self.phase in ("Failed", "Succeeded")

    @property
    def healthy(self) -> bool:
        return self.ready and not self.terminating and self.state in ("", pods.NORMAL)

    @property
    def specified(self) -> bool:
        """Whether somebody chose the pod for deletion: the label alone counts, whatever its value."""
        return SPECIFIED_DELETE_LABEL in labels_of(self.pod)

    def updated(self, revision: str, *, preparing_as_update: bool) -> bool:
        """Say whether the pod counts as updated where the order of the update and new pods ask for it."""
        return pods.new_for_scale(self.pod, revision, preparing_as_update=preparing_as_update)


def member_of(view: AdvancedStatefulSet, pod: Raw, ordinal: int, now: float) -> Member:
    """See a pod; `now` is in seconds since the epoch."""
    labels, phase = labels_of(pod), pods.phase(pod)
    state = pods.state(pod)
    ready = phase == "Running" and pods.ready(pod)
    normal = ready and state in ("", pods.NORMAL)
    wait = _wait(pod, view.min_ready, now) if normal and view.min_ready else 0.0
    return Member(
        pod=pod,
        name=name_of(pod),
        ordinal=ordinal,
        revision=pods.revision(pod) if labels else "",
        state=state,
        phase=phase,
        terminating=deleting(pod),
        ready=ready,
        available=normal and wait == 0,
        wait=wait,
    )


def in_place_done(view: AdvancedStatefulSet, member: Member) -> bool:
    """Say whether nothing of an in-place update is still to come (§14.6)."""
    return pod_complete(member.pod, vertical_scaling=view.gates.vertical_scaling)


def _wait(pod: Raw, min_ready: int, now: float) -> float:
    """Give the seconds until the pod has been ready for `min_ready`: all of them where nobody knows since when."""
    since = pods.ready_since(pod)
    return float(min_ready) if since is None else max(0.0, since + min_ready - now)

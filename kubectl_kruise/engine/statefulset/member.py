"""A pod of a set with what every phase of a pass asks of it, seen once (advanced-statefulset.md §11)."""

from typing import NamedTuple

from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.engine.inplace.state import graced, state_annotation
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.facts.names import REVISION_LABEL, SPECIFIED_DELETE_LABEL, STATE_LABEL
from kubectl_kruise.objects import pod as pods
from kubectl_kruise.objects.raw import Raw, metadata


class Member(NamedTuple):
    """`revision` and `state` are the labels; `wait` is the seconds until time alone makes the pod available, else 0.

    `specified`: somebody chose the pod for deletion, by a label whose value does not matter. `recorded`: an update in
    place was made or begun, and its record is on the pod.
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
    specified: bool
    recorded: bool

    @property
    def created(self) -> bool:
        return self.phase != ""

    @property
    def finished(self) -> bool:
        return self.phase in ("Failed", "Succeeded")

    @property
    def healthy(self) -> bool:
        return self.ready and not self.terminating and self.state in ("", pods.NORMAL)

    def updated(self, revision: str, *, preparing_as_update: bool) -> bool:
        """Say whether the pod counts as updated where the order of the update and new pods ask for it."""
        ahead = preparing_as_update and self.state == pods.PREPARING_UPDATE
        return ahead or pods.same_revision(self.revision, revision)


def member_of(view: AdvancedStatefulSet, pod: Raw, ordinal: int, now: float) -> Member:
    """See a pod; `now` is in seconds since the epoch."""
    meta, phase = metadata(pod), pods.phase(pod)
    labels, annotations = meta.get("labels") or {}, meta.get("annotations")
    state = labels.get(STATE_LABEL, "")
    ready = phase == "Running" and pods.ready(pod)
    normal = ready and state in ("", pods.NORMAL)
    wait = _wait(pod, view.min_ready, now) if normal and view.min_ready else 0.0
    return Member(
        pod=pod,
        name=str(meta.get("name") or ""),
        ordinal=ordinal,
        revision=labels.get(REVISION_LABEL, ""),
        state=state,
        phase=phase,
        terminating=bool(meta.get("deletionTimestamp")),
        ready=ready,
        available=normal and wait == 0,
        wait=wait,
        specified=SPECIFIED_DELETE_LABEL in labels,
        recorded=bool(annotations) and (graced(pod) or state_annotation(pod) is not None),
    )


def in_place_done(view: AdvancedStatefulSet, member: Member) -> bool:
    """Say whether nothing of an in-place update is still to come (§14.6)."""
    return not member.recorded or pod_complete(member.pod, vertical_scaling=view.gates.vertical_scaling)


def _wait(pod: Raw, min_ready: int, now: float) -> float:
    """Give the seconds until the pod has been ready for `min_ready`: all of them where nobody knows since when."""
    since = pods.ready_since(pod)
    return float(min_ready) if since is None else max(0.0, since + min_ready - now)

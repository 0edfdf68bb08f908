"""What is done to which pod of a native StatefulSet (SS4): pure decisions on one look at its pods."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.pod import finished, phase, ready, ready_since
from kubectl_kruise.objects.raw import Raw, deleting, labels_of
from kubectl_kruise.sandbox.simulation.statefulset.identity import new_pod, ordinal_of
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet


class Step(StrEnum):
    """CREATE and DELETE are writes; HOLD ends the pass of an ordered set, KEEP goes on with the next pod."""

    CREATE = "create"
    DELETE = "delete"
    HOLD = "hold"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Target:
    """A revision by name, with the template that it records."""

    name: str
    template: Raw


@dataclass(frozen=True, slots=True)
class Members:
    """The pods of a set.

    `slots` has one for each ordinal, in order, those yet to be created as they are to be sent; `condemned` those beyond,
    the highest ordinal first; `ailing` is the first of all that is not available.
    """

    slots: Sequence[Raw]
    condemned: Sequence[Raw]
    ailing: Raw | None

    @property
    def all(self) -> list[Raw]:
        return [*self.slots, *self.condemned]


def arrange(view: NativeSet, pods: Iterable[Raw], current: Target, update: Target, now: float) -> Members:
    """Put every pod in its slot, or among those that have to go; one whose name has no readable ordinal is left out."""
    ordinals, held, condemned = view.ordinals, dict[int, Raw](), list[Raw]()
    for pod in pods:
        ordinal = ordinal_of(pod)
        if ordinal in ordinals:
            held[ordinal] = pod
        elif ordinal >= 0:
            condemned.append(pod)
    slots = [held.get(ordinal) or _fresh(view, current, update, ordinal) for ordinal in ordinals]
    condemned.sort(key=ordinal_of, reverse=True)
    ailing = next((pod for pod in (*slots, *reversed(condemned)) if not usable(view, pod, now)), None)
    return Members(slots, condemned, ailing)


def slot_step(view: NativeSet, pod: Raw, now: float) -> Step:
    """Decide on a pod within the ordinals."""
    if finished(pod):
        return Step.HOLD if deleting(pod) else Step.DELETE
    if not created(pod):
        return Step.CREATE
    return Step.HOLD if view.ordered and not (running(pod) and usable(view, pod, now)) else Step.KEEP


def condemned_step(view: NativeSet, pod: Raw, ailing: Raw | None, now: float) -> Step:
    """Decide on a pod beyond the ordinals; an ordered set lets it go when all others are available, or it alone is not."""
    if deleting(pod):
        return Step.HOLD if view.ordered else Step.KEEP
    well = running(pod) and available(view, pod, now)
    return Step.HOLD if view.ordered and not well and pod is not ailing else Step.DELETE


def outdated(view: NativeSet, slots: Sequence[Raw], update: str, now: float) -> Raw | None:
    """Give the pod to replace now: one at a time from the highest ordinal down to the partition.

    Only pods above it are waited for, not those below.
    """
    if not view.rolling:
        return None
    for pod in reversed(slots[view.partition :]):
        if revision_of(pod) != update and not deleting(pod):
            return pod
        if not usable(view, pod, now):
            return None
    return None


def created(pod: Raw) -> bool:
    """Say whether the pod is on the server; every pod there has a phase."""
    return phase(pod) != ""


def running(pod: Raw) -> bool:
    return phase(pod) == "Running" and ready(pod)


def available(view: NativeSet, pod: Raw, now: float) -> bool:
    """Say whether the pod has been ready for minReadySeconds; that long is enough."""
    since = ready_since(pod)
    return ready(pod) and (not view.min_ready or (since is not None and since + view.min_ready <= now))


def usable(view: NativeSet, pod: Raw, now: float) -> bool:
    return available(view, pod, now) and not deleting(pod)


def revision_of(pod: Raw) -> str:
    return labels_of(pod).get(REVISION_LABEL, "")


def _fresh(view: NativeSet, current: Target, update: Target, ordinal: int) -> Raw:
    target = current if ordinal < view.start + view.kept else update
    return new_pod(view, target.template, target.name, ordinal)

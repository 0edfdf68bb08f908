"""Updates of pods in place: begun, and brought forward by every later look (cloneset.md §17.1, §17.7)."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, key_of
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.refusals import Refusals
from kubectl_kruise.controllers.writing.resizing import Resizer
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.execution import first_resources, go_on, plan_refresh, start_update
from kubectl_kruise.engine.inplace.readiness import close_gate, must_close
from kubectl_kruise.errors import ConflictError, KruiseError
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import active, revision
from kubectl_kruise.objects.raw import Raw, name_of, uid_of

Later = Callable[[float], None]
"""Takes the seconds until the workload wants another look."""
OVERTAKEN_SECONDS: Final = 1.0
"""When to look again at a pod that was overtaken, should no change of it be seen."""


class Begin(NamedTuple):
    """How an update begins: `labels` say the new revision, `enters` that the pod moves to state Updating."""

    change: Change
    labels: Mapping[str, str]
    enters: bool = True


class InPlaceWriter:
    """Writes what the engine decides about updates in place; `pods` is where fresher copies of pods are."""

    def __init__(
        self, writer: PodWriter, resizer: Resizer, pods: Informer, *, vertical_scaling: bool
    ) -> None:
        self._writer, self._resizer, self._pods = writer, resizer, pods
        self._vertical_scaling = vertical_scaling
        self.refusals = Refusals()

    def begin(self, workload: Key, pod: Raw, begin: Begin, now: float) -> None:
        """Take the pod out of service, resize it, then write labels, state and images at once.

        Raises the KruiseError of a server that refuses: it is remembered, so that attempts become rarer.
        """
        change, origin = begin.change, revision(pod)

        def close(fresh: Raw) -> Raw:
            return close_gate(_unmoved(fresh, origin), rfc3339(now))

        def start(fresh: Raw) -> Raw:
            fresh = _unmoved(fresh, origin)
            fresh = self._resizer.resize(fresh, first_resources(fresh, change))
            return start_update(fresh, change, now, labels=begin.labels, enters=begin.enters)

        closed = must_close(pod, change, vertical_scaling=self._vertical_scaling)
        try:
            if closed:
                pod = self._writer.change(pod, close, "status")
            self._writer.change(pod, start)
        except KruiseError as error:
            if closed and not isinstance(error, ConflictError):
                self.refusals.note(workload, change.revision, now)
            raise
        self.refusals.forget(workload)

    def refresh(self, pod: Raw, now: float, later: Later) -> None:
        """Open the gate of a pod that is done, or give it its next batch or what its grace period held back."""
        refresh = plan_refresh(pod, now, vertical_scaling=self._vertical_scaling)
        if refresh.wait:
            later(refresh.wait)
        if refresh.status is not None:
            self._open_gate(refresh.status, later)
        elif refresh.pod is not None:
            self._writer.change(pod, lambda fresh: self._go_on(fresh, now))

    def freshest(self, pod: Raw) -> Raw:
        """Give the pod as the cache has it by now: a pass over many pods takes longer than a kubelet does."""
        cached = self._pods.get(key_of(pod))
        return cached if cached is not None and uid_of(cached) == uid_of(pod) and active(cached) else pod

    def _go_on(self, pod: Raw, now: float) -> Raw:
        """Give the pod with its next batch, or with what its grace period held back; the resize of it is done by then."""
        refresh = plan_refresh(pod, now, vertical_scaling=self._vertical_scaling)
        if refresh.pod is None or not refresh.resources:
            return refresh.pod or pod
        return go_on(self._resizer.resize(pod, refresh.resources), now)

    def _open_gate(self, pod: Raw, later: Later) -> None:
        """Write the gate, unless the pod has changed meanwhile: another pass, which its change brings, judges anew."""
        try:
            self._writer.replace(pod, "status")
        except ConflictError:
            later(OVERTAKEN_SECONDS)


def _unmoved(pod: Raw, origin: str) -> Raw:
    """Give the pod; raises ConflictError where it is no longer what was chosen: taken down again it would be one too many."""
    if revision(pod) != origin or not active(pod):
        raise ConflictError(f"pod {name_of(pod)} has changed since it was chosen for the update")
    return pod

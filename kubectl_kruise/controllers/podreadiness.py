"""Opens the gate KruisePodReady of pods that have it and no condition for it yet (cloneset.md §21.2)."""

from collections.abc import Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.inplace.readiness import gated
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw


class PodReadiness:
    """Sets the condition once; later on it belongs to whoever takes the pod out of service."""

    name = "pod readiness"
    workers = 3
    informers: Sequence[Informer]

    def __init__(self, cluster: Cluster, clock: Clock, pods: Informer) -> None:
        self.queue = Queue(clock)
        self.informers = (pods,)
        self._cluster, self._clock, self._pods = cluster, clock, pods
        pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        if pod is None or not _waiting(pod):
            return None
        entry = {
            "type": KRUISE_POD_READY,
            "status": "True",
            "lastTransitionTime": rfc3339(self._clock.time()),
        }
        patch = Patch(PatchType.STRATEGIC, {"status": {"conditions": [entry]}})
        try:
            self._cluster.patch(POD.path(*key, subresource="status"), patch)
        except NotFoundError:
            return None
        return None

    def _pod_changed(self, _old: Raw | None, new: Raw | None) -> None:
        if new is not None and _waiting(new):
            self.queue.add(key_of(new))


def _waiting(pod: Raw) -> bool:
    return active(pod) and gated(pod, KRUISE_POD_READY) and condition(pod, KRUISE_POD_READY) is None

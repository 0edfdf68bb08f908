"""Opens the barriers of containers with launch priorities, one priority after the other (cloneset.md §17.4)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.launch_priority import barrier_of, held_by_barrier, next_opening
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONFIGMAP, POD
from kubectl_kruise.facts.names import LAUNCH_COMPLETED
from kubectl_kruise.objects.raw import Raw, controller_reference, name_of, namespace_of, owner_uid, uid_of

OPEN: Final = "true"
COLLECTED_SECONDS: Final = 1.0
"""When to look again for the garbage collector to have taken a barrier away."""


class LaunchPriority:
    """A barrier is a config map of the pod: containers whose key is not in it cannot start."""

    name = "container launch priority"
    workers = 3
    informers: Sequence[Informer]

    def __init__(self, cluster: Cluster, clock: Clock, pods: Informer) -> None:
        self.queue = Queue(clock)
        self.informers = (pods,)
        self._cluster, self._pods = cluster, pods
        self._opened: dict[str, frozenset[str]] = {}
        """Keys of the barriers, by the uid of their pod: what was read or written once need not be asked for again."""
        pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        if pod is None or not held_by_barrier(pod):
            return None
        opened = self._keys(pod)
        if opened is None:
            return COLLECTED_SECONDS
        opening = next_opening(pod, opened)
        if opening is None:
            return None
        try:
            self._open(pod, opened, opening.key)
            if opening.last:
                patch = Patch(PatchType.STRATEGIC, {"metadata": {"annotations": {LAUNCH_COMPLETED: OPEN}}})
                self._cluster.patch(POD.path(*key), patch)
        except NotFoundError:
            self._opened.pop(uid_of(pod), None)  # the pod has gone, or somebody took its barrier away
        return None

    def _keys(self, pod: Raw) -> frozenset[str] | None:
        """Give the keys of the pod's barrier; None while that of an earlier pod of the name is in its place."""
        if (known := self._opened.get(uid_of(pod))) is not None:
            return known
        path = CONFIGMAP.path(namespace_of(pod), barrier_of(pod))
        try:
            barrier = self._cluster.get(path)
        except NotFoundError:
            return frozenset()
        if owner_uid(barrier) != uid_of(pod):
            return None
        return self._remember(pod, frozenset(barrier.get("data") or {}))

    def _open(self, pod: Raw, opened: frozenset[str], key: str) -> None:
        """Add a key to the pod's barrier; the first one makes it."""
        namespace, name = namespace_of(pod), barrier_of(pod)
        data = {key: OPEN}
        if uid_of(pod) in self._opened:
            patch = Patch(PatchType.STRATEGIC, {"data": data})
            self._cluster.patch(CONFIGMAP.path(namespace, name), patch)
        else:
            owner = controller_reference("v1", "Pod", name_of(pod), uid_of(pod))
            meta = {"name": name, "namespace": namespace, "ownerReferences": [owner]}
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
            self._cluster.create(CONFIGMAP.path(namespace), body)
        self._remember(pod, opened | {key})

    def _remember(self, pod: Raw, keys: frozenset[str]) -> frozenset[str]:
        self._opened[uid_of(pod)] = keys
        return keys

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is None:
            self._opened.pop(uid_of(old or {}), None)
        elif held_by_barrier(new):
            self.queue.add(key_of(new))

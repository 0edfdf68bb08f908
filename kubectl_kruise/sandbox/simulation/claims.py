"""What happens to volume claims: they are bound, and go when the last pod that uses them has ended (V6)."""

import contextlib
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import PVC
from kubectl_kruise.objects.pod import claims_used, finished
from kubectl_kruise.objects.raw import Raw, deleting, dig, metadata, namespace_of, uid_of, version_of
from kubectl_kruise.sandbox.simulation.caches import BY_CLAIM, Caches
from kubectl_kruise.sandbox.simulation.profile import Profile

PROTECTION: Final = "kubernetes.io/pvc-protection"


class Claims:
    """Keyed by claim."""

    name = "persistentvolume-controller"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile) -> None:
        self._cluster, self._profile = cluster, profile
        self._claims, self._pods = caches.claims, caches.pods
        self.queue = Queue(clock)
        self.informers = (self._claims, self._pods)
        self._claims.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        claim = self._claims.get(key)
        if claim is None:
            return None
        with contextlib.suppress(NotFoundError, ConflictError):
            if deleting(claim):
                self._release(key, claim)
            elif self._profile.volumes and dig(claim, ("status", "phase")) == "Pending":
                self._bind(key, claim)
        return None

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Look at the claims of a pod that went or ended: it may have been their last user."""
        if old is not None and (new is None or finished(new)):
            for name in claims_used(old):
                self.queue.add(Key(namespace_of(old), name))

    def _release(self, key: Key, claim: Raw) -> None:
        held = metadata(claim).get("finalizers") or []
        if PROTECTION not in held or not all(map(finished, self._pods.indexed(BY_CLAIM, "/".join(key)))):
            return
        left = [finalizer for finalizer in held if finalizer != PROTECTION]
        self._patch(key, claim, {}, finalizers=left)

    def _bind(self, key: Key, claim: Raw) -> None:
        self._patch(key, claim, {"spec": {"volumeName": f"pvc-{uid_of(claim)}"}})
        granted = {
            "phase": "Bound",
            "accessModes": dig(claim, ("spec", "accessModes"), []),
            "capacity": dig(claim, ("spec", "resources", "requests"), {}),
        }
        body = {"metadata": {"uid": uid_of(claim)}, "status": granted}
        self._cluster.patch(PVC.path(*key, subresource="status"), Patch(PatchType.MERGE, body))

    def _patch(self, key: Key, claim: Raw, change: Raw, **meta: object) -> None:
        guard = {"uid": uid_of(claim), "resourceVersion": version_of(claim), **meta}
        self._cluster.patch(PVC.path(*key), Patch(PatchType.MERGE, {"metadata": guard, **change}))

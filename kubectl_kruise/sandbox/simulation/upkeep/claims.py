"""What happens to volume claims: they are bound, grow, and go when the last pod that uses them has ended (V6)."""

import contextlib
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import PERSISTENT_VOLUME, PVC
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.pod import claims_used, finished
from kubectl_kruise.objects.raw import Raw, deleting, dig, metadata, name_of, namespace_of, uid_of, version_of
from kubectl_kruise.sandbox.simulation.caches import BY_CLAIM, Caches
from kubectl_kruise.sandbox.simulation.profile import Profile
from kubectl_kruise.sandbox.simulation.upkeep.volumes import (
    BY_CONTROLLER,
    COMPLETED,
    best_volume,
    claimed,
    granted,
)

PROTECTION: Final = "kubernetes.io/pvc-protection"
_BOUND: Final = {COMPLETED: "yes", BY_CONTROLLER: "yes"}


class Claims:
    """Keyed by claim."""

    name = "persistentvolume-controller"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile) -> None:
        self._cluster, self._profile = cluster, profile
        self._claims, self._pods, self._volumes = caches.claims, caches.pods, caches.volumes
        self.queue = Queue(clock)
        self.informers = (self._claims, self._pods, self._volumes)
        self._claims.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._pods.on_change(self._pod_changed)
        self._volumes.on_change(self._volume_changed)

    def reconcile(self, key: Key) -> float | None:
        claim = self._claims.get(key)
        if claim is None:
            return None
        with contextlib.suppress(NotFoundError, ConflictError):
            if deleting(claim):
                self._release(key, claim)
            elif PROTECTION not in (held := metadata(claim).get("finalizers") or []):
                self._patch(key, claim, {}, finalizers=[*held, PROTECTION])
            elif dig(claim, ("status", "phase")) == "Pending":
                self._bind(key, claim)
            elif self._profile.volumes:
                self._grow(key, claim)
        return None

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Look at the claims of a pod that went or ended: it may have been their last user."""
        if old is not None and (new is None or finished(new)):
            for name in claims_used(old):
                self.queue.add(Key(namespace_of(old), name))

    def _volume_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Look at the claims that wait: the volume may be what one of them asks for."""
        if old is None and new is not None:
            for claim in self._claims.all():
                if dig(claim, ("status", "phase")) == "Pending":
                    self.queue.add(key_of(claim))

    def _release(self, key: Key, claim: Raw) -> None:
        held = metadata(claim).get("finalizers") or []
        if PROTECTION not in held or not all(map(finished, self._pods.indexed(BY_CLAIM, "/".join(key)))):
            return
        left = [finalizer for finalizer in held if finalizer != PROTECTION]
        self._patch(key, claim, {}, finalizers=left)

    def _bind(self, key: Key, claim: Raw) -> None:
        """Give the claim a volume that somebody made for claims like it, else one of its own where those are provided."""
        volume = best_volume(self._volumes.all(), claim)
        if volume is not None:
            name = name_of(volume)
            self._cluster.patch(
                PERSISTENT_VOLUME.path(name=name), Patch(PatchType.MERGE, claimed(volume, claim))
            )
            self._patch(key, claim, {"spec": {"volumeName": name}}, annotations=_BOUND)
            self._report(key, claim, granted(volume))
            phase = {"status": {"phase": "Bound"}}
            self._cluster.patch(
                PERSISTENT_VOLUME.path(name=name, subresource="status"), Patch(PatchType.MERGE, phase)
            )
        elif self._profile.volumes:
            self._patch(key, claim, {"spec": {"volumeName": f"pvc-{uid_of(claim)}"}})
            modes, size = dig(claim, ("spec", "accessModes"), []), _request(claim)
            self._report(key, claim, {"phase": "Bound", "accessModes": modes, "capacity": size})

    def _grow(self, key: Key, claim: Raw) -> None:
        """Give a claim that asks for more than it has what it asks for."""
        wanted, has = _request(claim), dig(claim, ("status", "capacity"), {})
        if _storage(wanted) > _storage(has):
            self._report(key, claim, {"capacity": {**has, **wanted}})

    def _report(self, key: Key, claim: Raw, status: Raw) -> None:
        body = {"metadata": {"uid": uid_of(claim)}, "status": status}
        self._cluster.patch(PVC.path(*key, subresource="status"), Patch(PatchType.MERGE, body))

    def _patch(self, key: Key, claim: Raw, change: Raw, **meta: object) -> None:
        guard = {"uid": uid_of(claim), "resourceVersion": version_of(claim), **meta}
        self._cluster.patch(PVC.path(*key), Patch(PatchType.MERGE, {"metadata": guard, **change}))


def _request(claim: Raw) -> dict[str, str]:
    requests: dict[str, str] = dig(claim, ("spec", "resources", "requests"), {})
    return requests


def _storage(amounts: dict[str, str]) -> int:
    return parse_quantity(amounts.get("storage", "0")).nanos

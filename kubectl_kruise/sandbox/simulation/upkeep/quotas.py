"""Keeps the status of ResourceQuotas: their limits, and what is used of them."""

import contextlib
from collections.abc import Iterator
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.kinds import POD, RESOURCE_QUOTA
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.quota import Usage, concerns, covers, usage_of
from kubectl_kruise.objects.raw import Raw, deleting, dig, namespace_of
from kubectl_kruise.objects.resources import ZERO, add
from kubectl_kruise.sandbox.simulation.caches import Caches

RESYNC_SECONDS: Final = 300.0
"""How often everything is counted anew: what was let through and then failed is given back no sooner."""


class Quotas:
    """Keyed by quota."""

    name = "resourcequota-controller"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._clock = cluster, clock
        self._quotas, self._pods = caches.quotas, caches.pods
        self.queue = Queue(clock)
        self.informers = (self._quotas, self._pods)
        self._quotas.on_change(self._quota_changed)
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        quota = self._quotas.get(key)
        if quota is None or deleting(quota):
            return None
        hard = dict(sorted(dig(quota, ("spec", "hard"), {}).items()))
        counted = {name: str(amount) for name, amount in self._count(quota, hard).items()}
        known = dig(quota, ("status", "used"), {})
        now = {**known, **counted}
        used = {name: now[name] for name in hard if name in now}
        if quota.get("status") != {"hard": hard, "used": used}:
            path = RESOURCE_QUOTA.path(*key, subresource="status")
            with contextlib.suppress(NotFoundError, ConflictError):
                self._cluster.replace(path, {**quota, "status": {"hard": hard, "used": used}})
        return RESYNC_SECONDS

    def _quota_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Look at new limits; the status is written by nobody else but the server, as it lets requests through."""
        if new is not None and (old is None or old.get("spec") != new.get("spec")):
            self.queue.add(key_of(new))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Give back what a pod took that is gone or has ended."""
        if old is None or (new is not None and finished(new) == finished(old)):
            return
        for quota in self._quotas.all(namespace_of(old)):
            self.queue.add(key_of(quota))

    def _count(self, quota: Raw, hard: Raw) -> Usage:
        """Sum up what the quota's namespace holds, for the limits that are known to concern something."""
        total: Usage = {}
        for kind in kinds.KINDS:
            names = [name for name in hard if concerns(kind.resource, name)]
            if not names or not kind.namespaced:
                continue
            total |= {name: total.get(name, ZERO) for name in names}
            for raw in self._objects(kind, namespace_of(quota)):
                if covers(quota, kind.resource, raw):
                    for name, amount in usage_of(kind.resource, raw, self._clock.time()).items():
                        if name in names:
                            total[name] = add(total[name], amount)
        return total

    def _objects(self, kind: kinds.Kind, namespace: str) -> Iterator[Raw]:
        if kind is POD:
            yield from self._pods.all(namespace)
            return
        with contextlib.suppress(NotFoundError):  # a kind that is not served
            yield from self._cluster.list(kind.path(namespace))["items"]

"""What happens to pods when their node goes or is tainted, and when a node is ready to have some (KB8)."""

import contextlib
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import NODE, POD
from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import node_of
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, uid_of
from kubectl_kruise.sandbox.simulation.caches import BY_NODE, Caches
from kubectl_kruise.sandbox.simulation.scheduling.placement import tolerates, toleration

NOT_READY: Final = "node.kubernetes.io/not-ready"
"""The taint that a server gives to every new node."""


class NodeLifecycle:
    """Keyed by node."""

    name = "node-lifecycle-controller"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._clock = cluster, clock
        self._pods, self._nodes = caches.pods, caches.nodes
        self.queue = Queue(clock)
        self.informers = (self._nodes, self._pods)
        self._nodes.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        node = self._nodes.get(key)
        if node is None:
            for pod in self._pods.indexed(BY_NODE, key.name):
                self._delete(pod, {"gracePeriodSeconds": 0})
            return None
        self._welcome(node)
        waits = (self._evict(pod, node) for pod in self._tolerating_less(node))
        return min((wait for wait in waits if wait is not None), default=None)

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is not None and node_of(new) and (old is None or node_of(old) != node_of(new)):
            self.queue.add(Key("", node_of(new)))

    def _tolerating_less(self, node: Raw) -> list[Raw]:
        """Give the pods of a node with NoExecute taints; of all others none, without looking at them."""
        tainted = any(taint.get("effect") == "NoExecute" for taint in dig(node, ("spec", "taints"), []))
        return self._pods.indexed(BY_NODE, name_of(node)) if tainted else []

    def _evict(self, pod: Raw, node: Raw) -> float | None:
        """Delete a pod that does not tolerate a NoExecute taint, or no longer; give the seconds until it will not."""
        now, waits = self._clock.time(), []
        for taint in dig(node, ("spec", "taints"), []):
            if taint.get("effect") != "NoExecute" or deleting(pod):
                continue
            patience = (toleration(pod, taint) or {}).get("tolerationSeconds") if tolerates(pod, taint) else 0
            if patience is None:
                continue
            left = (parse_rfc3339(taint.get("timeAdded")) or now) + patience - now if patience else 0.0
            if left <= 0:
                self._delete(pod, {})
                return None
            waits.append(left)
        return min(waits, default=None)

    def _welcome(self, node: Raw) -> None:
        """Take off what keeps pods from a node until it is ready for the first time."""
        taints = dig(node, ("spec", "taints"), [])
        kept = [taint for taint in taints if taint.get("key") != NOT_READY]
        if kept != taints and condition_true(node, "Ready"):
            body = {**node, "spec": {**node["spec"], "taints": kept}}
            self._cluster.replace(NODE.path(name=name_of(node)), body)

    def _delete(self, pod: Raw, options: Raw) -> None:
        with contextlib.suppress(NotFoundError, ConflictError):
            self._cluster.delete(
                POD.path(*key_of(pod)), options={**options, "preconditions": {"uid": uid_of(pod)}}
            )

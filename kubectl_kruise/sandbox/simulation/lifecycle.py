"""What happens to pods when their node goes, is tainted or falls silent (KB8)."""

import contextlib
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import NODE, POD
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, uid_of
from kubectl_kruise.objects.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.sandbox.simulation.caches import BY_NODE, Caches, key_of, node_of
from kubectl_kruise.sandbox.simulation.nodes import dead, lost
from kubectl_kruise.sandbox.simulation.placement import tolerates, toleration
from kubectl_kruise.sandbox.simulation.profile import Profile

SILENCE_SECONDS: Final = 40.0
UNREACHABLE: Final = "node.kubernetes.io/unreachable"
SIGNS_OF_SILENCE: Final = (UNREACHABLE, "node.kubernetes.io/not-ready")
"""Taints of a node that is not heard of, or not yet: a server gives the second to every new node."""


class NodeLifecycle:
    """Keyed by node."""

    name = "node-lifecycle-controller"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile) -> None:
        self._cluster, self._clock, self._profile = cluster, clock, profile
        self._pods, self._nodes = caches.pods, caches.nodes
        self._silent_since: dict[str, float] = {}
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
        waits = [self._judge_silence(node), *(self._evict(pod, node) for pod in self._tolerating_less(node))]
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

    def _judge_silence(self, node: Raw) -> float | None:
        """Give up a node whose kubelet has been silent for 40 s, and take it back when it speaks again."""
        name, now = name_of(node), self._clock.time()
        if not dead(node, self._profile):
            self._silent_since.pop(name, None)
            if condition_true(node, "Ready") and any(
                taint.get("key") in SIGNS_OF_SILENCE for taint in dig(node, ("spec", "taints"), [])
            ):
                self._taint(node, add=False)
            return None
        left = self._silent_since.setdefault(name, now) + SILENCE_SECONDS - now
        if left > 0:
            return left
        if not lost(node):
            self._give_up(node)
        if not any(taint.get("key") == UNREACHABLE for taint in dig(node, ("spec", "taints"), [])):
            self._taint(node, add=True)
        return None

    def _give_up(self, node: Raw) -> None:
        found = condition(node, "Ready") or {}
        change = {
            "type": "Ready",
            "status": "Unknown",
            "reason": "NodeStatusUnknown",
            "message": "Kubelet stopped posting node status.",
            "lastHeartbeatTime": found.get("lastHeartbeatTime"),
            "lastTransitionTime": rfc3339(self._clock.time()),
        }
        path = NODE.path(name=name_of(node), subresource="status")
        self._cluster.patch(path, Patch(PatchType.STRATEGIC, {"status": {"conditions": [change]}}))
        for pod in self._pods.indexed(BY_NODE, name_of(node)):
            if condition_true(pod, "Ready"):
                self._mark_unready(pod)

    def _taint(self, node: Raw, *, add: bool) -> None:
        held = dig(node, ("spec", "taints"), [])
        taints = [taint for taint in held if taint.get("key") not in SIGNS_OF_SILENCE]
        if add:
            now = rfc3339(self._clock.time())
            taints += [
                {"key": UNREACHABLE, "effect": effect, "timeAdded": now}
                for effect in ("NoSchedule", "NoExecute")
            ]
        self._cluster.replace(
            NODE.path(name=name_of(node)), {**node, "spec": {**node["spec"], "taints": taints}}
        )

    def _mark_unready(self, pod: Raw) -> None:
        now = rfc3339(self._clock.time())
        change = {"type": "Ready", "status": "False", "reason": "NodeNotReady", "lastTransitionTime": now}
        change["message"] = "Node is not ready"
        body = {"metadata": {"uid": uid_of(pod)}, "status": {"conditions": [change]}}
        key = key_of(pod)
        with contextlib.suppress(NotFoundError, ConflictError):
            path = POD.path(*key, subresource="status")
            self._cluster.patch(path, Patch(PatchType.STRATEGIC, body))

    def _delete(self, pod: Raw, options: Raw) -> None:
        with contextlib.suppress(NotFoundError, ConflictError):
            self._cluster.delete(
                POD.path(*key_of(pod)), options={**options, "preconditions": {"uid": uid_of(pod)}}
            )

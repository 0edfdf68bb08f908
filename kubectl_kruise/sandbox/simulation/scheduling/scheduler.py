"""The scheduler: binds pods without a node to the node that suits them."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import finished, node_of
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, uid_of
from kubectl_kruise.sandbox.simulation.caches import BY_NODE, Caches
from kubectl_kruise.sandbox.simulation.nodes import takes_pods
from kubectl_kruise.sandbox.simulation.profile import Profile
from kubectl_kruise.sandbox.simulation.scheduling.placement import refusal

Choose = Callable[[Raw, Sequence[str]], str]
"""Picks one of the names of the nodes that suit a pod."""


class Scheduler:
    """Keyed by pod. Of the nodes that suit, the one with the fewest pods is taken (KB2)."""

    name = "default-scheduler"
    workers = 1

    def __init__(
        self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile, choose: Choose | None = None
    ) -> None:
        self._cluster, self._clock, self._profile = cluster, clock, profile
        self._pods, self._nodes = caches.pods, caches.nodes
        self._recorder = Recorder(cluster, clock, self.name)
        self._choose = choose or self._emptiest
        self._load: Counter[str] = Counter()
        self._assumed: dict[str, str] = {}
        """Node by pod uid, for bindings that the cache does not show yet."""
        self._lock = threading.Lock()
        self.queue = Queue(clock)
        self.informers = (self._pods, self._nodes)
        self._pods.on_change(self._pod_changed)
        self._nodes.on_change(self._node_changed)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        if pod is None or node_of(pod) or deleting(pod) or dig(pod, ("spec", "schedulingGates")):
            return None
        if uid_of(pod) in self._assumed:
            return None
        suiting = self._suiting(pod)
        if not suiting:
            return None  # a change of a node brings it back
        self._bind(key, pod, self._choose(pod, suiting))
        return None

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        with self._lock:
            self._load[_occupied(old)] -= 1
            self._load[_occupied(new)] += 1
            gone = old if new is None else new if node_of(new) else None
            if gone is not None and (assumed := self._assumed.pop(uid_of(gone), None)) is not None:
                self._load[assumed] -= 1
        if new is not None and not node_of(new):
            self.queue.add(key_of(new))

    def _node_changed(self, old: Raw | None, new: Raw | None) -> None:
        if old is None or new is None or _what_counts(old) != _what_counts(new):
            for pod in self._pods.indexed(BY_NODE, ""):
                self.queue.add(key_of(pod))

    def _suiting(self, pod: Raw) -> list[str]:
        nodes = sorted(self._nodes.all(), key=name_of)
        refusals = {name_of(node): refusal(pod, node) for node in nodes}
        suiting = [name for name, reason in refusals.items() if not reason]
        if not suiting:
            self._say_unschedulable(pod, Counter(refusals.values()), len(nodes))
        return suiting

    def _emptiest(self, pod: Raw, names: Sequence[str]) -> str:  # noqa: ARG002 the signature of Choose
        with self._lock:
            return min(names, key=lambda name: self._load[name])

    def _bind(self, key: Key, pod: Raw, node: str) -> None:
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": key.name, "namespace": key.namespace, "uid": uid_of(pod)},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        with self._lock:
            self._assumed[uid_of(pod)] = node
            self._load[node] += 1
        try:
            self._cluster.create(POD.path(key.namespace, key.name, subresource="binding"), body)
        except (NotFoundError, ConflictError):
            self._forget(pod)
            return
        except Exception:
            self._forget(pod)
            raise
        if self._profile.events:
            text = f"Successfully assigned {key.namespace}/{key.name} to {node}"
            self._recorder.normal(POD, pod, "Scheduled", text)

    def _forget(self, pod: Raw) -> None:
        with self._lock:
            if (node := self._assumed.pop(uid_of(pod), None)) is not None:
                self._load[node] -= 1

    def _say_unschedulable(self, pod: Raw, reasons: Counter[str], total: int) -> None:
        why = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
        message = f"0/{total} nodes are available: {why}." if why else "no nodes available to schedule pods"
        known = condition(pod, "PodScheduled") or {}
        if known.get("message") == message and known.get("status") == "False":
            return
        change = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
            "lastProbeTime": None,
            "lastTransitionTime": known.get("lastTransitionTime") or rfc3339(self._clock.time()),
        }
        body = {"metadata": {"uid": uid_of(pod)}, "status": {"conditions": [change]}}
        key = key_of(pod)
        path = POD.path(key.namespace, key.name, subresource="status")
        self._cluster.patch(path, Patch(PatchType.STRATEGIC, body))
        self._recorder.warning(POD, pod, "FailedScheduling", message)


def _occupied(pod: Raw | None) -> str:
    """Give the node whose load a pod is, "" for none."""
    return "" if pod is None or finished(pod) else node_of(pod)


def _what_counts(node: Raw) -> tuple[object, ...]:
    labels, taints = dig(node, ("metadata", "labels"), {}), dig(node, ("spec", "taints"), [])
    return takes_pods(node), labels, taints, dig(node, ("status", "allocatable"), {})

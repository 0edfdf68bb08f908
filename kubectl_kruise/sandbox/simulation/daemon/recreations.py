"""The node daemon's answer to ContainerRecreateRequests: kills containers, and tells how they fare (small-kinds.md §3.2)."""

from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST
from kubectl_kruise.facts.recreation import (
    ACTIVE_LABEL,
    COMPLETED,
    PENDING,
    POD_UID_LABEL,
    RECREATING,
    UNREADY_ACQUIRED,
)
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.pod import node_of
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    namespace_of,
    uid_of,
)
from kubectl_kruise.sandbox.simulation.caches import Caches
from kubectl_kruise.sandbox.simulation.daemon.recreating import next_step
from kubectl_kruise.sandbox.simulation.kubelet.scene import steer
from kubectl_kruise.sandbox.simulation.nodes import ours
from kubectl_kruise.sandbox.simulation.profile import Profile
from kubectl_kruise.sandbox.simulation.runtime import Runtime

BY_POD: Final = "pod"
KILL_ERROR: Final = "kill-error"
"""Annotation of a pod whose containers cannot be killed, for this reason."""


class ContainerRecreations:
    """Keyed by pod: of the requests for one pod the oldest is carried out, the others wait."""

    name = "kruise-daemon containers"
    workers = 2

    def __init__(
        self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile, runtime: Runtime
    ) -> None:
        self._cluster, self._clock, self._profile, self._runtime = cluster, clock, profile, runtime
        self._pods, self._nodes = caches.pods, caches.nodes
        self._requests = Informer(cluster, CONTAINER_RECREATE_REQUEST.path(), {BY_POD: _by_pod})
        self.queue = Queue(clock)
        self.informers = (self._pods, self._nodes, self._requests)
        self._requests.on_change(self._request_changed)
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        requests = self._open_requests(key)
        if pod is None or deleting(pod) or not requests:
            return None
        node = self._nodes.get(Key("", node_of(pod)))
        if node is None or not ours(node, self._profile):
            return None
        first, *others = requests
        for other in others:
            if not _phase(other):
                self._write(other, {"phase": PENDING})
        if labels_of(first).get(POD_UID_LABEL) != uid_of(pod):
            return None  # its pod is gone: the manager ends it
        if _phase(first) != RECREATING:
            self._write(first, {"phase": RECREATING})
            return None
        return self._recreate(key, first, pod)

    def _recreate(self, key: Key, request: Raw, pod: Raw) -> float | None:
        now = self._clock.time()
        if (until := _out_of_service_at(request)) is None or until > now:
            return None if until is None else until - now
        error = steer(pod, self._profile, KILL_ERROR) or ""
        step = next_step(request, pod, now, killed=self._runtime.killed(key), error=error)
        for container_id in step.kills:
            self._runtime.kill(key, container_id)
        status: Raw = {"containerRecreateStates": step.states}
        if step.over:
            self._write(request, {**status, "phase": COMPLETED, "completionTime": rfc3339(now)})
        elif step.states != dig(request, ("status", "containerRecreateStates")):
            self._write(request, status)
        return None if step.due is None else max(0.0, step.due - now)

    def _open_requests(self, key: Key) -> list[Raw]:
        """Give the requests for a pod that are still to be carried out, the oldest first."""
        found = [
            request
            for request in self._requests.indexed(BY_POD, f"{key.namespace}/{key.name}")
            if labels_of(request).get(ACTIVE_LABEL) == "true"
            and not deleting(request)
            and _phase(request) != COMPLETED
        ]
        return sorted(found, key=lambda each: (str(metadata(each).get("creationTimestamp")), name_of(each)))

    def _write(self, request: Raw, status: Raw) -> None:
        path = CONTAINER_RECREATE_REQUEST.path(namespace_of(request), name_of(request), subresource="status")
        body = {"metadata": {"uid": uid_of(request)}, "status": status}
        try:
            self._cluster.patch(path, Patch(PatchType.MERGE, body))
        except NotFoundError:
            return

    def _request_changed(self, old: Raw | None, new: Raw | None) -> None:
        if (request := new or old) is not None:
            self.queue.add(Key(namespace_of(request), str(dig(request, ("spec", "podName"), ""))))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is None:
            if old is not None:
                self._runtime.forget(Key(namespace_of(old), name_of(old)))
            return
        key = Key(namespace_of(new), name_of(new))
        if self._requests.indexed(BY_POD, f"{key.namespace}/{key.name}"):
            self.queue.add(key)


def _by_pod(request: Raw) -> tuple[str, ...]:
    return (f"{namespace_of(request)}/{dig(request, ('spec', 'podName'), '')}",)


def _phase(request: Raw) -> str:
    return str(dig(request, ("status", "phase"), ""))


def _out_of_service_at(request: Raw) -> float | None:
    """Give the time from which containers may be killed, None while the manager has not taken the pod out of service."""
    grace = dig(request, ("spec", "strategy", "unreadyGracePeriodSeconds"))
    if grace is None:
        return 0.0
    acquired = parse_rfc3339(annotations_of(request).get(UNREADY_ACQUIRED))
    return None if acquired is None else acquired + float(grace)

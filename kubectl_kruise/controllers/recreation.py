"""Upkeep of ContainerRecreateRequests as Kruise's manager does it: pods out of service, deadlines, the end (small-kinds.md §3.2).

The restart itself is the node daemon's. So this is of use only beside one, as in the sandbox; on a cluster without a
manager there is no daemon either.
"""

import json
from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.inplace.readiness import gated
from kubectl_kruise.engine.recreation import (
    hold_message,
    holds,
    release_message,
    synced_statuses,
    untimely_end,
    when_due,
)
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST, POD
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.facts.recreation import (
    ACTIVE_LABEL,
    COMPLETED,
    POD_UID_LABEL,
    RECREATING,
    SYNCED_STATUSES,
    UNREADY_ACQUIRED,
)
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
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
    version_of,
)

BY_POD: Final = "pod"


class Recreations:
    """Keyed by request. Every look does the one next thing; the write it makes brings the key back."""

    name = "container recreate request"
    workers = 1
    informers: Sequence[Informer]

    def __init__(self, cluster: Cluster, clock: Clock, pods: Informer, *, namespace: str = "") -> None:
        self._cluster, self._clock, self._pods = cluster, clock, pods
        self._requests = Informer(cluster, CONTAINER_RECREATE_REQUEST.path(namespace), {BY_POD: _by_pod})
        self.queue = Queue(clock)
        self.informers = (pods, self._requests)
        self._requests.on_change(self._request_changed)
        pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        request = self._requests.get(key)
        if request is None:
            return None
        pod = self._pod_of(request)
        if deleting(request) or dig(request, ("status", "completionTime")):
            self._end(request, pod)
            return None if deleting(request) else self._expire(request)
        now = self._clock.time()
        if message := untimely_end(request, now, pod_gone=pod is None or deleting(pod)):
            status = {"phase": COMPLETED, "completionTime": rfc3339(now), "message": message}
            self._write(request, {"status": status}, "status")
        elif pod is not None and dig(request, ("status", "phase")) == RECREATING:
            self._accompany(request, pod)
        due = when_due(request)
        return None if due is None else max(0.0, due - now)

    def _accompany(self, request: Raw, pod: Raw) -> None:
        """Show the daemon the new containers, and take the pod out of service first where that was asked."""
        statuses = json.dumps(synced_statuses(request, pod), separators=(",", ":"))
        if annotations_of(request).get(SYNCED_STATUSES) != statuses:
            self._write(request, {"metadata": {"annotations": {SYNCED_STATUSES: statuses}}})
            return
        asked = dig(request, ("spec", "strategy", "unreadyGracePeriodSeconds")) is not None
        if not asked or UNREADY_ACQUIRED in annotations_of(request):
            return
        if gated(pod, KRUISE_POD_READY):
            finalizers = metadata(request).get("finalizers") or []
            if UNREADY_ACQUIRED not in finalizers:
                self._write(
                    request, {"metadata": {"finalizers": [*finalizers, UNREADY_ACQUIRED]}}, guard=True
                )
                return
            self._set_ready(request, pod, hold=True)
        acquired = {UNREADY_ACQUIRED: rfc3339(self._clock.time())}
        self._write(request, {"metadata": {"annotations": acquired}})

    def _end(self, request: Raw, pod: Raw | None) -> None:
        """Give the pod back and take the request out of the daemon's sight."""
        finalizers = metadata(request).get("finalizers") or []
        if UNREADY_ACQUIRED in finalizers:
            if pod is not None:
                self._set_ready(request, pod, hold=False)
            left = [name for name in finalizers if name != UNREADY_ACQUIRED]
            self._write(request, {"metadata": {"finalizers": left or None}}, guard=True)
        elif ACTIVE_LABEL in labels_of(request) and not deleting(request):
            self._write(request, {"metadata": {"labels": {ACTIVE_LABEL: None}}})

    def _expire(self, request: Raw) -> float | None:
        due = when_due(request)
        if due is None or ACTIVE_LABEL in labels_of(request):
            return None
        if (left := due - self._clock.time()) > 0:
            return left
        try:
            self._cluster.delete(_path(request), options={"preconditions": {"uid": uid_of(request)}})
        except NotFoundError:
            return None
        return None

    def _set_ready(self, request: Raw, pod: Raw, *, hold: bool) -> None:
        """Shut the pod's gate for this request, or open it when nobody else holds it; others are kept."""
        if holds(pod, request) == hold:
            return
        message = hold_message(pod, request) if hold else release_message(pod, request)
        shut = message != "[]"
        known = condition(pod, KRUISE_POD_READY) or {}
        entry: Raw = {"type": KRUISE_POD_READY, "status": "False" if shut else "True", "message": message}
        if known.get("status") != entry["status"]:
            entry["lastTransitionTime"] = rfc3339(self._clock.time())
        body = {"metadata": {"resourceVersion": version_of(pod)}, "status": {"conditions": [entry]}}
        path = POD.path(namespace_of(pod), name_of(pod), subresource="status")
        self._cluster.patch(path, Patch(PatchType.STRATEGIC, body))

    def _write(self, request: Raw, change: Raw, subresource: str = "", *, guard: bool = False) -> None:
        """Send a merge patch; `guard` where a list is replaced, which somebody else may have changed."""
        mine = {"uid": uid_of(request)} | ({"resourceVersion": version_of(request)} if guard else {})
        body = {**change, "metadata": {**(change.get("metadata") or {}), **mine}}
        try:
            self._cluster.patch(_path(request, subresource), Patch(PatchType.MERGE, body))
        except NotFoundError:
            return

    def _pod_of(self, request: Raw) -> Raw | None:
        """Give the pod the request is about, None where it is gone, or another one has its name."""
        pod = self._pods.get(Key(namespace_of(request), str(dig(request, ("spec", "podName"), ""))))
        wanted = labels_of(request).get(POD_UID_LABEL, "")
        return None if pod is None or (wanted and uid_of(pod) != wanted) else pod

    def _request_changed(self, _old: Raw | None, new: Raw | None) -> None:
        if new is not None:
            self.queue.add(key_of(new))

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        pod = new or old
        if pod is None or (old is not None and new is not None and _seen(old) == _seen(new)):
            return
        for request in self._requests.indexed(BY_POD, f"{namespace_of(pod)}/{name_of(pod)}"):
            self.queue.add(key_of(request))


def _by_pod(request: Raw) -> tuple[str, ...]:
    return (f"{namespace_of(request)}/{dig(request, ('spec', 'podName'), '')}",)


def _seen(pod: Raw) -> tuple[bool, object]:
    return deleting(pod), dig(pod, ("status", "containerStatuses"))


def _path(request: Raw, subresource: str = "") -> str:
    return CONTAINER_RECREATE_REQUEST.path(namespace_of(request), name_of(request), subresource=subresource)

"""The node daemon: records on each pod which containers run and what they were started with (cloneset.md §18.4)."""

import json

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.inplace.hashes import environment_hash, plain_hash
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.facts.names import IN_PLACE_READY, KRUISE_POD_READY, RUNTIME_META
from kubectl_kruise.objects.raw import Raw, annotations_of, deleting, dig, uid_of
from kubectl_kruise.sandbox.simulation.caches import Caches
from kubectl_kruise.sandbox.simulation.kubelet.runtime import recorded_containers


class NodeDaemon:
    """Keyed by pod; looks only at pods of Kruise workloads, nobody else reads the record."""

    name = "kruise-daemon"
    workers = 2

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._pods = cluster, caches.pods
        self.queue = Queue(clock)
        self.informers = (self._pods,)
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        if pod is None or deleting(pod) or not _of_kruise(pod):
            return None
        containers = runtime_containers(pod)
        if not containers or containers == recorded_containers(pod):
            return None
        record = json.dumps({"containers": containers}, separators=(",", ":"))
        body = {"metadata": {"uid": uid_of(pod), "annotations": {RUNTIME_META: record}}}
        try:
            self._cluster.patch(POD.path(*key), Patch(PatchType.MERGE, body))
        except NotFoundError:
            return None
        return None

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is not None and (old is None or _running(old) != _running(new)):
            self.queue.add(key_of(new))


def runtime_containers(pod: Raw) -> list[Raw]:
    """Give the record of every container that was ever started.

    The hashes tell what a container was started with: they stay while its containerID does, whatever the pod says now.
    """
    before = {record["containerID"]: record for record in recorded_containers(pod)}
    specs = {spec["name"]: spec for spec in dig(pod, ("spec", "containers"), [])}
    return [
        before.get(status["containerID"]) or _record(specs[status["name"]], status, pod)
        for status in dig(pod, ("status", "containerStatuses"), [])
        if status.get("containerID") and status["name"] in specs
    ]


def _record(spec: Raw, status: Raw, pod: Raw) -> Raw:
    return {
        "name": status["name"],
        "containerID": status["containerID"],
        "restartCount": status.get("restartCount", 0),
        "hashes": {
            "plainHash": plain_hash(status["name"], status.get("image", "")),
            "extractedEnvFromMetadataHash": environment_hash(spec, pod),
        },
    }


def _of_kruise(pod: Raw) -> bool:
    gates = {gate.get("conditionType") for gate in dig(pod, ("spec", "readinessGates"), [])}
    return not gates.isdisjoint((IN_PLACE_READY, KRUISE_POD_READY))


def _running(pod: Raw) -> list[str]:
    """Give what the record depends on, and the record itself, so that a lost one is written again."""
    ids = [str(status.get("containerID")) for status in dig(pod, ("status", "containerStatuses"), [])]
    return [*ids, annotations_of(pod).get(RUNTIME_META, "")]

"""The simulated nodes: made once at the start, Ready; a node that was deleted is not made again."""

import hashlib
import uuid
from datetime import UTC, datetime

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import LEASE, NODE
from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, dig, name_of, uid_of
from kubectl_kruise.sandbox.simulation.caches import Caches
from kubectl_kruise.sandbox.simulation.profile import Profile

KUBELET_VERSION = "v1.36.0"
ZONES = "abc"
HEARTBEAT_SECONDS = 10.0
LEASE_NAMESPACE = "kube-node-lease"

_HEALTH = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


class Nodes:
    """Keyed by node name. Heartbeats begin where the server turns out to judge nodes by them; the sandbox does not."""

    name = "node"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile) -> None:
        self._cluster, self._clock, self._profile = cluster, clock, profile
        self._nodes = caches.nodes
        self._wanted = set(profile.nodes)
        self._beating: set[str] = set()
        self.queue = Queue(clock)
        self.informers = (caches.nodes,)
        caches.nodes.on_change(self._node_changed)
        for name in profile.nodes:
            self.queue.add(Key("", name))

    def reconcile(self, key: Key) -> float | None:
        node = self._nodes.get(key)
        if node is None and key.name in self._wanted:
            node = self._create(key.name)
        self._wanted.discard(key.name)
        if node is None:
            self._beating.discard(key.name)
            return None
        if not dig(node, ("status", "capacity")):
            self._write(key.name, node_status(key.name, self._profile, self._clock.time()))
        elif lost(node):
            self._beating.add(key.name)
            self._write(key.name, {"conditions": _health(self._clock.time())})
        if key.name not in self._beating:
            return None
        self._renew_lease(node)
        return HEARTBEAT_SECONDS

    def _node_changed(self, old: Raw | None, new: Raw | None) -> None:
        name = name_of(new or old or {})
        if name in self._profile.nodes and (new is None or lost(new)):
            self.queue.add(Key("", name))

    def _create(self, name: str) -> Raw:
        try:
            return self._cluster.create(NODE.path(), new_node(name, self._profile))
        except ConflictError:
            return self._cluster.get(NODE.path(name=name))

    def _write(self, name: str, status: Raw) -> None:
        path = NODE.path(name=name, subresource="status")
        self._cluster.patch(path, Patch(PatchType.STRATEGIC, {"status": status}))

    def _renew_lease(self, node: Raw) -> None:
        now = datetime.fromtimestamp(self._clock.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec = {"holderIdentity": name_of(node), "leaseDurationSeconds": 40, "renewTime": now}
        path = LEASE.path(LEASE_NAMESPACE, name_of(node))
        try:
            self._cluster.patch(path, Patch(PatchType.MERGE, {"spec": spec}))
        except NotFoundError:
            owner = {"apiVersion": "v1", "kind": "Node", "name": name_of(node), "uid": uid_of(node)}
            meta = {"name": name_of(node), "namespace": LEASE_NAMESPACE, "ownerReferences": [owner]}
            lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}
            self._cluster.create(LEASE.path(LEASE_NAMESPACE), lease)


def new_node(name: str, profile: Profile) -> Raw:
    """Give a node of the profile as it is created (KB1)."""
    place = profile.nodes.index(name)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "beta.kubernetes.io/arch": "amd64",
                "node-role.kubernetes.io/worker": "",
                "topology.kubernetes.io/region": profile.region,
                "topology.kubernetes.io/zone": profile.zone_prefix + ZONES[place % len(ZONES)],
            },
        },
        "spec": {"podCIDR": f"10.244.{place % 250}.0/24", "providerID": f"{profile.provider}://{name}"},
    }


def node_status(name: str, profile: Profile, now: float) -> Raw:
    place = profile.nodes.index(name)
    machine = hashlib.sha256(name.encode()).hexdigest()[:32]
    capacity = dict(profile.capacity)
    return {
        "capacity": capacity,
        "allocatable": capacity,
        "addresses": [
            {"type": "InternalIP", "address": f"10.0.{place // 250}.{place % 250 + 1}"},
            {"type": "Hostname", "address": name},
        ],
        "conditions": _health(now),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {
            "architecture": "amd64", "operatingSystem": "linux", "kernelVersion": "6.1.0-simulated",
            "osImage": "Simulated Linux", "containerRuntimeVersion": "containerd://2.0.0",
            "kubeletVersion": KUBELET_VERSION, "kubeProxyVersion": "", "machineID": machine, "systemUUID": machine,
            "bootID": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
        },
    }  # fmt: skip


def _health(now: float) -> list[Raw]:
    times = {"lastHeartbeatTime": rfc3339(now), "lastTransitionTime": rfc3339(now)}
    return [
        {"type": kind, "status": status, "reason": reason, "message": message, **times}
        for kind, status, reason, message in _HEALTH
    ]


def lost(node: Raw) -> bool:
    """Say whether a controller of the cluster has given the node up for want of heartbeats."""
    return (condition(node, "Ready") or {}).get("status") == "Unknown"


def ours(node: Raw, profile: Profile) -> bool:
    """Say whether the simulation runs this node: its providerID says so, or its name is one of the profile's."""
    provider = str(dig(node, ("spec", "providerID"), ""))
    return provider.startswith(f"{profile.provider}://") or name_of(node) in profile.nodes


def takes_pods(node: Raw) -> bool:
    """Say whether the node is Ready and not cordoned."""
    return not dig(node, ("spec", "unschedulable")) and condition_true(node, "Ready")


def address_of(node: Raw) -> str:
    addresses = dig(node, ("status", "addresses"), [])
    return next((found["address"] for found in addresses if found.get("type") == "InternalIP"), "10.0.0.1")

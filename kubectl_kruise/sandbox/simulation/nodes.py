"""The simulated nodes: made once at the start, Ready; a node that was deleted is not made again."""

import hashlib
import uuid

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError
from kubectl_kruise.facts.kinds import NODE
from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.timestamp import rfc3339
from kubectl_kruise.sandbox.simulation.caches import Caches
from kubectl_kruise.sandbox.simulation.kubelet.scene import steer
from kubectl_kruise.sandbox.simulation.profile import Profile

KUBELET_VERSION = "v1.36.0"
ZONES = "abcdefgh"

_HEALTH = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


class Nodes:
    """Keyed by node name: every name of the profile is looked at once."""

    name = "node"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile) -> None:
        self._cluster, self._clock, self._profile = cluster, clock, profile
        self._nodes = caches.nodes
        self.queue = Queue(clock)
        self.informers = (caches.nodes,)
        for name in profile.nodes:
            self.queue.add(Key("", name))

    def reconcile(self, key: Key) -> float | None:
        node = self._nodes.get(key)
        if node is None:
            try:
                node = self._cluster.create(NODE.path(), new_node(key.name, self._profile))
            except ConflictError:
                node = self._cluster.get(NODE.path(name=key.name))
        if not dig(node, ("status", "capacity")):
            status = node_status(key.name, self._profile, self._clock.time())
            path = NODE.path(name=key.name, subresource="status")
            self._cluster.patch(path, Patch(PatchType.STRATEGIC, {"status": status}))
        return None


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
                "topology.kubernetes.io/zone": profile.zone_prefix + ZONES[place % 3],
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
        "conditions": [
            {
                "type": kind, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": rfc3339(now), "lastTransitionTime": rfc3339(now),
            }
            for kind, status, reason, message in _HEALTH
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {
            "architecture": "amd64", "operatingSystem": "linux", "kernelVersion": "6.1.0-simulated",
            "osImage": "Simulated Linux", "containerRuntimeVersion": "containerd://2.0.0",
            "kubeletVersion": KUBELET_VERSION, "kubeProxyVersion": "", "machineID": machine, "systemUUID": machine,
            "bootID": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
        },
    }  # fmt: skip


def ours(node: Raw, profile: Profile) -> bool:
    """Say whether the simulation runs this node: its providerID says so, or its name is one of the profile's."""
    provider = str(dig(node, ("spec", "providerID"), ""))
    return provider.startswith(f"{profile.provider}://") or name_of(node) in profile.nodes


def dead(node: Raw, profile: Profile) -> bool:
    """Say whether the node's kubelet was switched off by the annotation `<prefix>/dead`."""
    return steer(node, profile, "dead") == "true"


def takes_pods(node: Raw) -> bool:
    """Say whether the node is Ready and not cordoned."""
    return not dig(node, ("spec", "unschedulable")) and condition_true(node, "Ready")


def address_of(node: Raw) -> str:
    addresses = dig(node, ("status", "addresses"), [])
    return next((found["address"] for found in addresses if found.get("type") == "InternalIP"), "10.0.0.1")

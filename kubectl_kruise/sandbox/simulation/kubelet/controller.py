"""The kubelet of every simulated node: plays the life of the pods bound to them."""

import contextlib
import threading

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.pod import finished, node_of
from kubectl_kruise.objects.raw import Raw, deleting, dig, metadata, name_of, uid_of, version_of
from kubectl_kruise.sandbox.simulation.caches import BY_NODE, Caches
from kubectl_kruise.sandbox.simulation.kubelet import states
from kubectl_kruise.sandbox.simulation.kubelet.barriers import CONFIG_ERROR, pod_of, shut_barriers
from kubectl_kruise.sandbox.simulation.kubelet.difference import status_patch
from kubectl_kruise.sandbox.simulation.kubelet.scene import Memory, Scene, look, seconds
from kubectl_kruise.sandbox.simulation.kubelet.states import waiting_for
from kubectl_kruise.sandbox.simulation.kubelet.status import Host, final_status, pod_status
from kubectl_kruise.sandbox.simulation.nodes import address_of, ours
from kubectl_kruise.sandbox.simulation.profile import Profile
from kubectl_kruise.sandbox.simulation.runtime import Runtime


class Kubelet:
    """Keyed by pod. What it remembers are timers; after a restart they are read off the pods or set anew."""

    name = "kubelet"
    workers = 4

    def __init__(
        self, cluster: Cluster, clock: Clock, caches: Caches, profile: Profile, runtime: Runtime
    ) -> None:
        self._cluster, self._clock, self._profile = cluster, clock, profile
        self._runtime = runtime
        self._pods, self._nodes = caches.pods, caches.nodes
        self._recorder = Recorder(cluster, clock, self.name)
        self._memories: dict[Key, Memory] = {}
        self._addresses = _Addresses()
        self.queue = Queue(clock)
        self._barriers = caches.configmaps
        self.informers = (self._pods, self._nodes, *([self._barriers] if profile.barriers else []))
        self._pods.on_change(self._pod_changed)
        self._nodes.on_change(self._node_changed)
        self._barriers.on_change(self._barrier_changed)
        runtime.on_kill(self.queue.add)

    def reconcile(self, key: Key) -> float | None:
        pod = self._pods.get(key)
        if pod is None:
            self._memories.pop(key, None)
            return None
        node = self._nodes.get(Key("", node_of(pod)))
        if node is None or not ours(node, self._profile):
            return None
        memory = self._remember(key, pod)
        if int(version_of(pod)) < memory.written:
            return None  # the answer to the last write has not come round yet; it will bring the key back
        host = Host(address_of(node), self._addresses.new)
        shut = shut_barriers(pod, self._barriers.get) if self._profile.barriers else {}
        killed, now = self._runtime.killed(key), self._clock.time()
        scene = look(pod, memory, self._profile, now, killed=killed, shut=shut)
        if deleting(pod):
            if self._stop(key, pod, scene, host) or finished(pod):
                return self._again(scene)
        elif finished(pod):
            return None
        self._write(key, pod, pod_status(pod, scene, host), scene)
        return self._again(scene)

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        if new is not None:
            self._addresses.seen(str(dig(new, ("status", "podIP"), "")))
        if (pod := new or old) is not None and node_of(pod):
            self.queue.add(key_of(pod))

    def _node_changed(self, old: Raw | None, new: Raw | None) -> None:
        if old is None and new is not None:
            for pod in self._pods.indexed(BY_NODE, name_of(new)):
                self.queue.add(key_of(pod))

    def _barrier_changed(self, _old: Raw | None, new: Raw | None) -> None:
        if new is not None and (owner := pod_of(new)) is not None:
            self.queue.add(owner)

    def _remember(self, key: Key, pod: Raw) -> Memory:
        memory = self._memories.get(key)
        if memory is None or memory.uid != uid_of(pod):
            memory = self._memories[key] = Memory(uid_of(pod), self._clock.time())
        return memory

    def _again(self, scene: Scene) -> float | None:
        return max(0.0, min(scene.wake) - self._clock.time()) if scene.wake else None

    def _stop(self, key: Key, pod: Raw, scene: Scene, host: Host) -> bool:
        """Bring a pod that is to go to its end; True when nothing else is to be done for it now (KB6).

        The delete carries the uid: a controller may have made a new pod of the same name by then.
        """
        grace = metadata(pod).get("deletionGracePeriodSeconds", 30)
        if grace == 0:
            return True  # only finalizers hold it; the server removes it with the last of them
        memory = scene.memory
        if memory.stop_at is None:
            memory.stop_at = scene.now + min(
                seconds(pod, self._profile, "delete-delay", self._profile.stop_delay), grace
            )
        if scene.now < memory.stop_at:
            scene.wake.append(memory.stop_at)
            return False
        if not finished(pod):
            self._write(key, pod, final_status(pod, scene, host), scene)
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": memory.uid}}
        with contextlib.suppress(NotFoundError, ConflictError):  # gone already, or another pod of that name
            self._cluster.delete(POD.path(key.namespace, key.name), options=options)
        scene.wake.clear()
        return True

    def _write(self, key: Key, pod: Raw, wanted: Raw, scene: Scene) -> None:
        soon = min(scene.wake, default=scene.now) - scene.now <= self._profile.announce_after
        if soon and _only_creating(wanted):
            return
        change = status_patch(pod.get("status") or {}, wanted)
        if not change:
            return
        path = POD.path(key.namespace, key.name, subresource="status")
        body = {"metadata": {"uid": scene.uid}, "status": change}
        try:
            answer = self._cluster.patch(path, Patch(PatchType.STRATEGIC, body))
        except NotFoundError:
            return
        scene.memory.written = int(version_of(answer))
        if self._profile.events:
            self._tell(pod, wanted)

    def _tell(self, pod: Raw, wanted: Raw) -> None:
        """Write the events of containers that have just failed, or end for a new image."""
        before = {status["name"]: status for status in dig(pod, ("status", "containerStatuses"), [])}
        images = {spec["name"]: spec.get("image") for spec in pod["spec"]["containers"]}
        for status in wanted["containerStatuses"]:
            name, old = status["name"], before.get(status["name"], {})
            if old.get("restartCount") == status["restartCount"] and old.get("state") == status["state"]:
                continue
            match waiting_for(status):
                case states.PULL_ERROR:
                    text = f'Failed to pull image "{images[name]}": not found'
                    self._recorder.warning(POD, pod, "Failed", text)
                    self._recorder.normal(POD, pod, "BackOff", status["state"]["waiting"]["message"])
                case states.CRASHING:
                    text = f"Back-off restarting failed container {name}"
                    self._recorder.warning(POD, pod, "BackOff", text)
                case _ if "terminated" in status["state"] and images[name] != status["image"]:
                    text = f"Container {name} definition changed, will be restarted"
                    self._recorder.normal(POD, pod, "Killing", text)


class _Addresses:
    """Pod addresses in 10.244.0.0/16, each one behind the highest seen in the cluster."""

    def __init__(self) -> None:
        self._highest = 0
        self._lock = threading.Lock()

    def seen(self, address: str) -> None:
        if address.startswith("10.244."):
            _, _, high, low = address.split(".")
            with self._lock:
                self._highest = max(self._highest, int(high) * 250 + int(low) - 1)

    def new(self) -> str:
        with self._lock:
            self._highest += 1
            return f"10.244.{self._highest // 250 % 256}.{self._highest % 250 + 1}"


def _only_creating(wanted: Raw) -> bool:
    """Say whether a status tells no more than that nothing has been started yet."""
    statuses = [*wanted["containerStatuses"], *wanted.get("initContainerStatuses", [])]
    return wanted["phase"] == "Pending" and not any(
        status.get("containerID") or waiting_for(status) in (states.PULL_ERROR, CONFIG_ERROR)
        for status in statuses
    )

"""A pod's status at one instant: containers, phase, addresses, conditions."""

from collections.abc import Callable
from typing import Final, NamedTuple

from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw, dig, metadata
from kubectl_kruise.sandbox.simulation.images import Fate, fate
from kubectl_kruise.sandbox.simulation.kubelet.barriers import CONFIG_ERROR
from kubectl_kruise.sandbox.simulation.kubelet.conditions import Readiness, pod_conditions
from kubectl_kruise.sandbox.simulation.kubelet.container import Role, advance
from kubectl_kruise.sandbox.simulation.kubelet.resizing import resize_condition
from kubectl_kruise.sandbox.simulation.kubelet.scene import Scene
from kubectl_kruise.sandbox.simulation.kubelet.states import creations, end, ended_well, running, waiting_for

_BEFORE_START: Final = ("ContainerCreating", "PodInitializing", CONFIG_ERROR)


class Host(NamedTuple):
    """The node's address, and how a pod of its network gets one."""

    address: str
    new_address: Callable[[], str]


class _Containers(NamedTuple):
    inits: list[Raw]
    apps: list[Raw]
    initialized: bool
    unready: list[str]


def pod_status(pod: Raw, scene: Scene, host: Host) -> Raw:
    """Move every container on to the scene's instant and give the fields of the status that are the kubelet's."""
    containers = _advance_all(pod, scene)
    phase = _phase(containers, scene)
    return _status(pod, scene, host, containers, phase)


def final_status(pod: Raw, scene: Scene, host: Host) -> Raw:
    """Give the status of a pod whose containers have just been stopped (KB6)."""
    found = _advance_all(pod, scene)
    inits, apps = (
        [(end(status, 0, scene.now) if running(status) else status) | {"ready": False} for status in statuses]
        for statuses in (found.inits, found.apps)
    )
    names = [status["name"] for status in apps]
    stopped = _Containers(inits, apps, initialized=True, unready=names)
    phase = "Succeeded" if all(ended_well(status) for status in (*inits, *apps)) else "Failed"
    return _status(pod, scene, host, stopped, phase)


def _advance_all(pod: Raw, scene: Scene) -> _Containers:
    spec, status = pod["spec"], pod.get("status") or {}
    known = _by_name(status.get("initContainerStatuses"))
    initialized, inits, unready = True, [], []
    for container in spec.get("initContainers") or []:
        role = Role.SIDECAR if container.get("restartPolicy") == "Always" else Role.INIT
        now = advance(container, known.get(container["name"]), role, scene, may_start=initialized)
        done = running(now) if role is Role.SIDECAR else ended_well(now)
        now["ready"] = _serves(container, now, scene) if role is Role.SIDECAR else done
        if role is Role.SIDECAR and not now["ready"]:
            unready.append(container["name"])
        initialized = initialized and done
        inits.append(_named_wait(now, "PodInitializing"))
    known = _by_name(status.get("containerStatuses"))
    # An init container that works after the pod is up does not take Initialized away again.
    started = any(creations(container) for container in known.values())
    initialized = initialized or (started and condition_true(pod, "Initialized"))
    apps, late = [], []
    for container in spec.get("containers") or []:
        name = container["name"]
        may_start = initialized and name not in scene.shut
        now = advance(container, known.get(name), Role.APP, scene, may_start=may_start)
        now["ready"] = _serves(container, now, scene)
        if not now["ready"]:
            late.append(container["name"])
        if initialized and name in scene.shut:
            apps.append(_named_wait(now, CONFIG_ERROR, scene.shut[name]))
        else:
            apps.append(_named_wait(now, "ContainerCreating" if initialized else "PodInitializing"))
    return _Containers(inits, apps, initialized, late + unready)


def _status(pod: Raw, scene: Scene, host: Host, containers: _Containers, phase: str) -> Raw:
    old = pod.get("status") or {}
    stopped = phase in ("Succeeded", "Failed")
    up = any(creations(status) for status in (*containers.inits, *containers.apps))
    address = old.get("podIP") or ""
    if up and not address:
        address = host.address if dig(pod, ("spec", "hostNetwork")) else host.new_address()
    wanted: Raw = {
        "phase": phase,
        "startTime": old.get("startTime") or rfc3339(scene.memory.seen),
        "hostIP": host.address,
        "hostIPs": [{"ip": host.address}],
        "containerStatuses": containers.apps,
    }
    if address:
        wanted |= {"podIP": address, "podIPs": [{"ip": address}]}
    if containers.inits:
        wanted["initContainerStatuses"] = containers.inits
    if generation := metadata(pod).get("generation"):
        wanted["observedGeneration"] = generation
    readiness = Readiness(
        phase=phase,
        initialized=containers.initialized,
        unready=containers.unready,
        sandboxed=up and not stopped,
        resize=resize_condition(pod["spec"]["containers"], containers.apps, scene),
    )
    wanted["conditions"] = pod_conditions(pod, readiness, scene.now)
    return wanted


def _phase(containers: _Containers, scene: Scene) -> str:
    apps = containers.apps
    pending_restart = any(scene.memory.timer(status["name"]).due is not None for status in apps)
    if scene.meant_to_end and apps and not pending_restart and all("terminated" in s["state"] for s in apps):
        return "Succeeded" if all(ended_well(status) for status in apps) else "Failed"
    if not containers.initialized or not all(creations(status) for status in apps):
        return "Pending"
    return "Running"


def _serves(spec: Raw, status: Raw, scene: Scene) -> bool:
    """Say whether a container is ready: it runs, nothing holds it unready, and its probe's first delay is over."""
    held = "true" in scene.unready or spec["name"] in scene.unready
    if not running(status) or held or fate(status["image"]) is Fate.UNREADY:
        return False
    delay = dig(spec, ("readinessProbe", "initialDelaySeconds"), 0)
    since = parse_rfc3339(status["state"]["running"].get("startedAt")) or scene.now
    if not delay or scene.now >= since + delay:
        return True
    scene.wake.append(since + delay)
    return False


def _named_wait(status: Raw, reason: str, message: str = "") -> Raw:
    """Say what a container waits for before its first run."""
    if not status["state"] or waiting_for(status) in _BEFORE_START:
        status["state"] = {"waiting": {"reason": reason} | ({"message": message} if message else {})}
    return status


def _by_name(statuses: list[Raw] | None) -> dict[str, Raw]:
    return {status["name"]: status for status in statuses or []}

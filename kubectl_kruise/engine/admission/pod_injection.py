"""What Kruise's pod webhook adds to pods when they are created (cloneset.md §17.4, §21.2)."""

from typing import Final

from kubectl_kruise.facts.kinds import KRUISE_GROUP
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.objects.raw import Raw, annotations_of, name_of, owner_of

LAUNCH_PRIORITY: Final = "apps.kruise.io/container-launch-priority"
PRIORITY_ENV: Final = "KRUISE_CONTAINER_PRIORITY"
BARRIER_ENV: Final = "KRUISE_CONTAINER_BARRIER"


def inject_pod(pod: Raw, *, ready_gate_for_all: bool = False) -> Raw:
    """Give the pod as the webhook stores it; `pod` itself where nothing is to be added.

    `ready_gate_for_all` is gate KruisePodReadinessGate. Raises ValueError for a launch priority that is not a whole
    number.
    """
    return _with_barriers(_with_readiness_gate(pod) if ready_gate_for_all or _of_kruise(pod) else pod)


def _of_kruise(pod: Raw) -> bool:
    owner = owner_of(pod)
    return owner is not None and str(owner.get("apiVersion") or "").partition("/")[0] == KRUISE_GROUP


def _with_readiness_gate(pod: Raw) -> Raw:
    """Add the gate by which a pod is ready only when Kruise says so too."""
    spec: Raw = pod.get("spec") or {}
    gates = spec.get("readinessGates") or []
    if any(gate.get("conditionType") == KRUISE_POD_READY for gate in gates):
        return pod
    return {**pod, "spec": {**spec, "readinessGates": [*gates, {"conditionType": KRUISE_POD_READY}]}}


def _with_barriers(pod: Raw) -> Raw:
    """Let containers with launch priorities wait for keys of a config map, highest first."""
    spec: Raw = pod.get("spec") or {}
    containers: list[Raw] = spec.get("containers") or []
    priorities = _priorities(pod, containers)
    if not priorities:
        return pod
    waiting = [
        {**container, "env": [*(container.get("env") or []), _barrier(name_of(pod), priority)]}
        for container, priority in zip(containers, priorities, strict=True)
    ]
    return {**pod, "spec": {**spec, "containers": waiting}}


def _priorities(pod: Raw, containers: list[Raw]) -> list[int]:
    """Give a priority per container, [] where the order does not matter."""
    if len(containers) < 2:
        return []
    if annotations_of(pod).get(LAUNCH_PRIORITY) == "Ordered":
        return [-index for index in range(len(containers))]
    priorities = [_priority(container) for container in containers]
    return priorities if any(priorities) and len(set(priorities)) > 1 else []


def _priority(container: Raw) -> int:
    written = [env.get("value") for env in container.get("env") or [] if env.get("name") == PRIORITY_ENV]
    return int(written[0]) if written and written[0] else 0


def _barrier(pod_name: str, priority: int) -> Raw:
    reference = {"name": f"{pod_name}-barrier", "key": f"p_{priority}"}
    return {"name": BARRIER_ENV, "valueFrom": {"configMapKeyRef": reference}}

"""The cells of a pod (sandbox-apiserver.md TB6)."""

from datetime import datetime
from typing import Final

from kubectl_kruise.objects.condition import condition, condition_true
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import Raw, deleting, dig
from kubectl_kruise.sandbox.tables.ages import age

NONE: Final = "<none>"


def ready_containers(pod: Raw, _: datetime) -> str:
    """Count the containers that serve, sidecars among them."""
    sidecars = _sidecars(pod)
    counted = [*_started(pod, sidecars), *dig(pod, ("status", "containerStatuses"), [])]
    ready = sum(
        bool(found.get("ready")) and dig(found, ("state", "running")) is not None for found in counted
    )
    return f"{ready}/{len(dig(pod, ('spec', 'containers'), [])) + len(sidecars)}"


def met_gates(pod: Raw, _: datetime) -> str:
    gates = [gate.get("conditionType", "") for gate in dig(pod, ("spec", "readinessGates"), [])]
    return f"{sum(condition_true(pod, gate) for gate in gates)}/{len(gates)}" if gates else NONE


def pod_status(pod: Raw) -> str:
    """Give the STATUS of a pod: what keeps it from running, else its phase."""
    status = pod.get("status") or {}
    reason = status.get("reason") or status.get("phase") or "Unknown"
    if (condition(pod, "PodScheduled") or {}).get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    initializing = _init_status(pod)
    if initializing and not condition_true(pod, "Initialized"):
        reason = initializing
    elif status.get("containerStatuses"):
        reason = _container_status(pod, reason)
    if deleting(pod):
        if status.get("reason") == "NodeLost":
            return "Unknown"
        if not finished(pod):
            return "Terminating"
    return str(reason)


def _init_status(pod: Raw) -> str:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    declared = {container["name"]: container for container in spec.get("initContainers") or ()}
    for index, found in enumerate(status.get("initContainerStatuses") or ()):
        ended, waiting = dig(found, ("state", "terminated")), dig(found, ("state", "waiting"), {})
        if ended is not None and ended.get("exitCode", 0) == 0:
            continue
        if _sidecar(declared.get(found.get("name"), {})) and found.get("started"):
            continue
        if ended is not None:
            return f"Init:{_ended(ended)}"
        if waiting.get("reason") and waiting["reason"] != "PodInitializing":
            return f"Init:{waiting['reason']}"
        return f"Init:{index}/{len(declared)}"
    return ""


def _container_status(pod: Raw, reason: str) -> str:
    running = False
    for found in reversed(pod["status"]["containerStatuses"]):
        waiting, ended = dig(found, ("state", "waiting"), {}), dig(found, ("state", "terminated"))
        if waiting.get("reason"):
            reason = waiting["reason"]
        elif ended is not None:
            reason = _ended(ended)
        elif found.get("ready") and dig(found, ("state", "running")) is not None:
            running = True
    if reason == "Completed" and running:
        return "Running" if condition_true(pod, "Ready") else "NotReady"
    return reason


def _ended(ended: Raw) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def restarts(pod: Raw, now: datetime) -> str:
    """Give the restart count, with the time since the last one where known."""
    if _init_status(pod) and not condition_true(pod, "Initialized"):
        counted = dig(pod, ("status", "initContainerStatuses"), [])
    else:
        counted = [*_started(pod, _sidecars(pod)), *dig(pod, ("status", "containerStatuses"), [])]
    count = sum(found.get("restartCount") or 0 for found in counted)
    ends = [dig(found, ("lastState", "terminated", "finishedAt")) for found in counted]
    last = max(filter(None, ends), default=None)
    return f"{count} ({age(last, now)} ago)" if count and last else str(count)


def _sidecars(pod: Raw) -> set[str]:
    return {found["name"] for found in dig(pod, ("spec", "initContainers"), []) if _sidecar(found)}


def _started(pod: Raw, sidecars: set[str]) -> list[Raw]:
    statuses = dig(pod, ("status", "initContainerStatuses"), [])
    return [found for found in statuses if found.get("name") in sidecars]


def _sidecar(container: Raw) -> bool:
    return container.get("restartPolicy") == "Always"

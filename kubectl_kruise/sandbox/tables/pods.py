"""The row of a pod (sandbox-apiserver.md TB6)."""

from datetime import datetime
from typing import Any

from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of
from kubectl_kruise.sandbox.tables.ages import age


def pod_cells(pod: Raw, now: datetime) -> list[Any]:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    sidecars = {container["name"] for container in spec.get("initContainers") or () if _sidecar(container)}
    statuses = status.get("containerStatuses") or []
    started = [found for found in status.get("initContainerStatuses") or () if found.get("name") in sidecars]
    ready = sum(_counts_as_ready(found) for found in (*started, *statuses))
    total = len(spec.get("containers") or ()) + len(sidecars)
    gates = [gate.get("conditionType", "") for gate in spec.get("readinessGates") or ()]
    met = sum(condition_true(pod, gate) for gate in gates)
    return [
        name_of(pod),
        f"{ready}/{total}",
        pod_status(pod),
        _restarts(pod, sidecars, now),
        age(dig(pod, ("metadata", "creationTimestamp")), now),
        status.get("podIP") or dig(status, ("podIPs", 0, "ip")) or "<none>",
        spec.get("nodeName") or "<none>",
        status.get("nominatedNodeName") or "<none>",
        f"{met}/{len(gates)}" if gates else "<none>",
    ]


def pod_status(pod: Raw) -> str:
    """Give the STATUS of a pod: what keeps it from running, else its phase."""
    status = pod.get("status") or {}
    reason = status.get("reason") or status.get("phase") or "Unknown"
    scheduled: Raw = next((c for c in status.get("conditions") or () if c.get("type") == "PodScheduled"), {})
    if scheduled.get("reason") == "SchedulingGated":
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


def _restarts(pod: Raw, sidecars: set[str], now: datetime) -> str:
    """Give the restart count, with the time since the last one where known."""
    status = pod.get("status") or {}
    initializing = _init_status(pod) and not condition_true(pod, "Initialized")
    started = status.get("initContainerStatuses") or []
    counted = started if initializing else [
        *(found for found in started if found.get("name") in sidecars), *(status.get("containerStatuses") or ()),
    ]  # fmt: skip
    count = sum(found.get("restartCount") or 0 for found in counted)
    ends = [dig(found, ("lastState", "terminated", "finishedAt")) for found in counted]
    last = max(filter(None, ends), default=None)
    return f"{count} ({age(last, now)} ago)" if count and last else str(count)


def _counts_as_ready(found: Raw) -> bool:
    return bool(found.get("ready")) and dig(found, ("state", "running")) is not None


def _sidecar(container: Raw) -> bool:
    return container.get("restartPolicy") == "Always"

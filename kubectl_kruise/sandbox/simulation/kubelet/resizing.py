"""New resources of running containers: when they take effect, and what a pod says of itself until then."""

import math
from collections.abc import Iterable
from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.kubelet.scene import Scene, Timer
from kubectl_kruise.sandbox.simulation.kubelet.states import end, running

PENDING: Final = "PodResizePending"
IN_PROGRESS: Final = "PodResizeInProgress"
CONDITIONS: Final = (PENDING, IN_PROGRESS)
_PARTS: Final = ("limits", "requests")


def resized(spec: Raw, current: Raw, scene: Scene, timer: Timer) -> Raw:
    """Give the status of a container with the resources that it has at this instant; one that does not run tells none.

    A container starts with those of its spec. Others reach it after the pod's delay, and end it where its resizePolicy
    asks for a restart: its timer is then set to its next run.
    """
    if not running(current):
        return _without(current)
    wanted = _resources(spec)
    if "resources" not in current or _same(current["resources"], wanted):
        timer.resize = None
        return _with(current, wanted, wanted)
    if timer.resize is None or timer.resize[0] != wanted:
        timer.resize = (wanted, scene.now)
    due = timer.resize[1] + scene.resize_delay
    if scene.now < due:
        if math.isfinite(due):
            scene.wake.append(due)
            return _with(current, current["resources"], wanted)
        return _with(current, current["resources"], current["resources"])
    timer.resize = None
    if scene.profile.resize_restarts and _restarts(spec, current["resources"], wanted):
        timer.due = scene.now + scene.restart_delay
        return _without(end(current, 0, scene.now))
    return _with(current, wanted, wanted)


def resize_condition(
    containers: Iterable[Raw], statuses: Iterable[Raw], scene: Scene
) -> tuple[str, str, str] | None:
    """Give type, reason and message of the condition of a pod whose resources are not all in force, None for others."""
    unequal = any(
        "resources" in status and not _same(status["resources"], _resources(spec))
        for spec, status in zip(containers, statuses, strict=True)
    )
    if not unequal or not scene.profile.resize_conditions:
        return None
    if scene.resize_verdict:
        message = f"held back by annotation {scene.profile.annotations}/resize-delay"
        return PENDING, scene.resize_verdict, message
    return IN_PROGRESS, "", ""


def _resources(spec: Raw) -> Raw:
    given = spec.get("resources") or {}
    return {part: given[part] for part in _PARTS if given.get(part)}


def _same(one: Raw, other: Raw) -> bool:
    return all((one.get(part) or {}) == (other.get(part) or {}) for part in _PARTS)


def _with(current: Raw, resources: Raw, allocated: Raw) -> Raw:
    requests = allocated.get("requests")
    kept = _without(current) | {"resources": resources}
    return kept | {"allocatedResources": requests} if requests else kept


def _without(current: Raw) -> Raw:
    return {key: value for key, value in current.items() if key not in ("resources", "allocatedResources")}


def _restarts(spec: Raw, old: Raw, new: Raw) -> bool:
    policies = {
        policy.get("resourceName"): policy.get("restartPolicy") for policy in spec.get("resizePolicy") or ()
    }
    changed = {
        name
        for part in _PARTS
        for name in {**(old.get(part) or {}), **(new.get(part) or {})}
        if (old.get(part) or {}).get(name) != (new.get(part) or {}).get(name)
    }
    return any(policies.get(name) == "RestartContainer" for name in changed)

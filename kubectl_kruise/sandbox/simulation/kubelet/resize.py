"""Vertical scaling in place: the resources a running container has follow those its spec asks for."""

from kubectl_kruise.objects.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.kubelet.scene import Scene, Timer
from kubectl_kruise.sandbox.simulation.kubelet.states import end, running

HOLD = "hold"


def amounts(resources: Raw | None) -> dict[tuple[str, str], int]:
    """Give the amounts by section and name, so that `1000m` and `1` are the same."""
    return {
        (section, name): parse_quantity(value).nanos
        for section in ("limits", "requests")
        for name, value in ((resources or {}).get(section) or {}).items()
    }


def resize(spec: Raw, status: Raw, scene: Scene, timer: Timer) -> None:
    """Bring `resources` and `allocatedResources` of a status up to date, in place.

    A change takes effect after the pod's resize delay, never while it is `hold`; a resource whose policy says
    RestartContainer ends the container, which starts again like one whose image has changed.
    """
    if not running(status):
        status.pop("resources", None)
        status.pop("allocatedResources", None)
        return
    wanted, has = spec.get("resources") or {}, status.get("resources")
    if has is not None and amounts(has) != amounts(wanted) and not scene.going:
        has = _change(spec, status, scene, timer)
    else:
        timer.resize_wanted, has = None, has if has is not None else wanted
    if running(status):
        status["resources"] = has
        status.pop("allocatedResources", None)
        if has.get("requests"):
            status["allocatedResources"] = has["requests"]


def _change(spec: Raw, status: Raw, scene: Scene, timer: Timer) -> Raw:
    """Give the resources the container has at this instant, of those it had and those it is to have."""
    wanted: Raw = spec.get("resources") or {}
    has: Raw = status["resources"]
    if timer.resize_wanted is None or amounts(timer.resize_wanted) != amounts(wanted):
        timer.resize_wanted, timer.resize_since = wanted, scene.now
    if scene.resize_delay == HOLD:
        return has
    due = timer.resize_since + float(scene.resize_delay)
    if scene.now < due:
        scene.wake.append(due)
        return has
    timer.resize_wanted = None
    if not _restarts(spec, has, wanted):
        return wanted
    status |= end(status, 0, scene.now)
    status.pop("resources", None)
    status.pop("allocatedResources", None)
    timer.due = scene.now + scene.restart_delay
    scene.wake.append(timer.due)
    return wanted


def _restarts(spec: Raw, has: Raw, wanted: Raw) -> bool:
    old, new = amounts(has), amounts(wanted)
    changed = {key[1] for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    return any(
        policy.get("restartPolicy") == "RestartContainer" and policy.get("resourceName") in changed
        for policy in spec.get("resizePolicy") or []
    )

"""One container's next state, from its spec and its last status."""

import hashlib
from enum import Enum, auto
from typing import Final

from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.images import Fate, exit_code, fate, image_id, pull_seconds
from kubectl_kruise.sandbox.simulation.kubelet.resizing import resized
from kubectl_kruise.sandbox.simulation.kubelet.scene import Scene, Timer
from kubectl_kruise.sandbox.simulation.kubelet.states import (
    CRASHING,
    PULL_ERROR,
    creations,
    end,
    ended_well,
    running,
    termination,
    waiting_for,
)

BACKOFF: Final = (10.0, 20.0, 40.0, 80.0, 160.0, 300.0)


class Role(Enum):
    INIT = auto()
    SIDECAR = auto()
    APP = auto()


def advance(spec: Raw, status: Raw | None, role: Role, scene: Scene, *, may_start: bool) -> Raw:
    """Move a container on to the scene's instant and give its status; `ready` is decided by the caller.

    A changed image ends the container and starts it again after the restart delay, alone (KB5); a container that
    crashes or cannot be pulled waits, the former with a doubling back-off from 10 s to 5 min (KB4).
    """
    timer = scene.memory.timer(spec["name"])
    current = _believed(spec, status)
    if not scene.going:
        current = _next(spec, current, role, scene, timer, may_start=may_start)
        if role is Role.APP:
            current = resized(spec, current, scene, timer)
        if timer.due is not None:
            scene.wake.append(timer.due)
    return current


def _next(spec: Raw, current: Raw, role: Role, scene: Scene, timer: Timer, *, may_start: bool) -> Raw:
    image, state = spec.get("image", ""), current["state"]
    if not current.get("containerID") and waiting_for(current) != PULL_ERROR:
        return _first(spec, current, role, scene, timer, may_start=may_start)
    if "terminated" in state and (
        (role is Role.INIT and ended_well(current)) or (timer.due is None and _over(current, scene))
    ):
        return current
    stale = running(current) and spec["name"] in scene.stale
    if stale or image != (timer.image or _acted_on(spec, current)):
        timer.image, timer.due = image, scene.now + scene.restart_delay + pull_seconds(image)
    elif timer.due is None:
        timer.due = _rearm(image, current, role, scene, timer)
    if running(current) and (stale or image != current["image"]):
        current = end(current, 0, scene.now)
    if timer.due is None or scene.now < timer.due:
        return current
    if running(current):
        return _finish(image, current, scene, timer)
    return _start(image, current, role, scene, timer)


def _first(spec: Raw, current: Raw, role: Role, scene: Scene, timer: Timer, *, may_start: bool) -> Raw:
    if not may_start:
        return current
    image = spec.get("image", "")
    timer.due = scene.start_at + pull_seconds(image)
    if scene.now < timer.due:
        return current
    return _start(image, current, role, scene, timer)


def _start(image: str, current: Raw, role: Role, scene: Scene, timer: Timer) -> Raw:
    """Start a run; what ran before becomes lastState."""
    timer.image, timer.due = image, None
    ended = current["state"].get("terminated")
    current = current | {"lastState": {"terminated": ended}} if ended else dict(current)
    outlook = fate(image)
    if outlook is Fate.NOT_PULLED:
        message = f'Back-off pulling image "{image}"'
        return current | {"state": {"waiting": {"reason": PULL_ERROR, "message": message}}, "started": False}
    made = creations(current)
    current |= {
        "image": image,
        "imageID": image_id(image, scene.profile),
        "containerID": _container_id(current["name"], made, scene),
        "restartCount": made,
    }
    if outlook is Fate.CRASHES:
        last = {"terminated": termination(current, 1, rfc3339(scene.now), scene.now)}
        return _crash_loop(current | {"lastState": last}, scene, timer)
    timer.crashes = 0
    current |= {"state": {"running": {"startedAt": rfc3339(scene.now)}}, "started": True}
    if role is Role.INIT:
        return end(current, 0, scene.now)
    timer.due = _rearm(image, current, role, scene, timer)
    return current


def _finish(image: str, current: Raw, scene: Scene, timer: Timer) -> Raw:
    """End a container that is meant to end; a failed one starts again under OnFailure (KB7)."""
    timer.due = None
    current = end(current, exit_code(image, scene.profile) or 0, scene.now)
    if scene.policy != "OnFailure" or ended_well(current):
        return current
    return _crash_loop(current | {"lastState": current["state"]}, scene, timer)


def _crash_loop(current: Raw, scene: Scene, timer: Timer) -> Raw:
    timer.due = scene.now + BACKOFF[min(timer.crashes, len(BACKOFF) - 1)]
    timer.crashes += 1
    waiting = {"reason": CRASHING, "message": "back-off restarting failed container"}
    return current | {"state": {"waiting": waiting}, "started": False}


def _rearm(image: str, current: Raw, role: Role, scene: Scene, timer: Timer) -> float | None:
    """Give the time of the next step of a container whose timer is not set: it was lost, or its run has just begun."""
    if running(current):
        if not scene.meant_to_end or exit_code(image, scene.profile) is None or role is Role.SIDECAR:
            return None
        since = parse_rfc3339(current["state"]["running"].get("startedAt")) or scene.now
        return max(since + scene.run_seconds, scene.now)
    if waiting_for(current) == CRASHING:
        timer.crashes += 1
        return scene.now + BACKOFF[0]
    return scene.now + scene.restart_delay if "terminated" in current["state"] else None


def _over(current: Raw, scene: Scene) -> bool:
    """Say whether a container that has ended stays so."""
    return scene.meant_to_end and (scene.policy == "Never" or ended_well(current))


def _acted_on(spec: Raw, current: Raw) -> str:
    """Give the image that a status of an earlier process speaks of."""
    if waiting_for(current) != PULL_ERROR:
        return str(current.get("image", ""))
    image = str(spec.get("image", ""))
    return image if fate(image) is Fate.NOT_PULLED else ""


def _believed(spec: Raw, status: Raw | None) -> Raw:
    blank = {"image": spec.get("image", ""), "imageID": "", "restartCount": 0, "started": False}
    given = status or {}
    return blank | given | {
        "name": spec["name"],
        "state": given.get("state") or {},
        "lastState": given.get("lastState") or {},
    }  # fmt: skip


def _container_id(name: str, made: int, scene: Scene) -> str:
    digest = hashlib.sha256(f"{scene.uid}/{name}/{made}".encode()).hexdigest()
    return scene.profile.container_id.format(digest=digest)

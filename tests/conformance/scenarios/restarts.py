"""Plays recordings of container restarts, in which the test is the node daemon: its writes are steps.

The seconds between the steps are part of these scenarios, so that no time passes for quiet beyond what pods need.
"""

import json
import re
from typing import Any

from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST, POD
from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import dig
from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.normalise import NAMESPACE, normalise
from tests.conformance.comparing.writes import Write, recorded_writes
from tests.conformance.scenarios.acts import perform
from tests.conformance.scenarios.observe import observe
from tests.conformance.scenarios.world import World

STEP_SECONDS = 2.0
"""What a simulated pod needs to start, to restart a container or to end."""
REQUESTS = CONTAINER_RECREATE_REQUEST.plural
ZONE = re.compile(r"\bfake-[a-c]\b")
CONTAINER = re.compile(r"(?:containerd://)?CID\d*")


def restarts_containers(recording: dict[str, Any]) -> bool:
    made = (dig(step, ("do", "create", "kind")) for step in recording["steps"])
    return CONTAINER_RECREATE_REQUEST.kind in made


def replay_restarts(recording: dict[str, Any]) -> str:
    """Play one scenario; give "" when it agrees, else the first difference."""
    steps = [{**step, "state": {"pods": [], **step["state"]}} for step in recording["steps"]]
    world = World({**recording, "steps": steps})
    for number, step in enumerate(steps, 1):
        world.begin(number - 1)
        if difference := _step(world, step):
            return f"step {number}: {difference}"
    return ""


def _step(world: World, step: dict[str, Any]) -> str:
    do = json.loads(json.dumps(step["do"]).replace('"TIME"', f'"{rfc3339(world.sandbox.clock.time())}"'))
    answer = perform(world, do, {})
    world.run(STEP_SECONDS)
    recorded = step.get("response")
    if recorded is not None:
        if recorded["code"] != answer.code:
            return f"code: recorded {recorded['code']}, ours {answer.code} {answer.body}"
        wanted = {key: recorded[key] for key in ("message", "object") if recorded.get(key)}
        given = {"message": answer.body.get("message"), "object": answer.body}
        if difference := _difference(world, wanted, given, "response", depth=3):
            return difference
    writes = {_intent(write) for write in recorded_writes(step)} - {""}
    ours = {_intent(_normal(world, write)) for write in world.log.take()} - {""}
    return _difference(world, sorted(writes), sorted(ours), "writes") or _state_difference(
        world, step["state"]
    )


def _state_difference(world: World, recorded: dict[str, Any]) -> str:
    live = world.user.list(CONTAINER_RECREATE_REQUEST.path(NAMESPACE))["items"]
    requests = {raw["metadata"]["name"]: {**raw["metadata"], **raw} for raw in live}
    pods = {raw["metadata"]["name"]: raw for raw in world.user.list(POD.path(NAMESPACE))["items"]}
    kept = [each for each in recorded["workloads"] if each["kind"] == CONTAINER_RECREATE_REQUEST.kind]
    if difference := first_difference(sorted(each["name"] for each in kept), sorted(requests), "requests"):
        return difference
    for each in kept:
        if difference := _difference(world, each, requests[each["name"]], each["name"]):
            return difference
    messages = {
        world.names.placeholder(name): {KRUISE_POD_READY: text}
        for name, raw in pods.items()
        if (text := (condition(raw, KRUISE_POD_READY) or {}).get("message"))
    }
    seen = {pod["name"]: pod for pod in observe(world.user, world.workloads, world.names)["pods"]}
    for pod in recorded["pods"]:
        ours = seen.get(pod["name"], {}) | {"conditionMessages": messages.get(pod["name"])}
        theirs = {"conditionMessages": None} | pod
        if difference := _difference(world, theirs, ours, f"pod {pod['name']}"):
            return difference
    return ""


def _difference(world: World, recorded: Any, ours: Any, where: str, depth: int = 1) -> str:
    """Compare what the recording holds: it leaves out parts of objects, down to `depth`."""
    left, right = (
        json.loads(ZONE.sub("ZONE", CONTAINER.sub("CID", json.dumps(each))))
        for each in (recorded, _normal(world, ours))
    )
    return first_difference(left, _shared(right, left, depth), where)


def _normal(world: World, value: Any) -> Any:
    if isinstance(value, Write):
        name, body = _normal(world, [value.name, value.body])
        return value._replace(name=name, body=body)
    found = json.dumps(normalise(value, world.names)).replace(f"{NAMESPACE}/", "NS/")
    return json.loads(found)


def _shared(ours: Any, recorded: Any, depth: int) -> Any:
    """Keep of the outer levels the keys that the recording has."""
    if depth and isinstance(ours, dict) and isinstance(recorded, dict):
        return {key: _shared(ours.get(key), value, depth - 1) for key, value in recorded.items()}
    return ours


def _intent(write: Write) -> str:
    """Give what a write of the manager is for; "" for what is not about requests or what they hold."""
    body = write.body or {}
    if write.resource == "pods/status":
        # That the pod is given back shows in its state only: the recordings leave the write out.
        held = (c for c in _conditions(body) if c["type"] == KRUISE_POD_READY and c["status"] == "False")
        found = next(held, None)
        return json.dumps([write.name, found["status"], found["message"]]) if found else ""
    if write.resource == f"{REQUESTS}/status":
        return json.dumps([write.name, dig(body, ("status", "phase")), dig(body, ("status", "message"))])
    if write.resource != REQUESTS:
        return ""
    meta = {
        key: value
        for key, value in dig(body, ("metadata",), {}).items()
        if key in ("labels", "annotations", "finalizers")
    }
    if write.verb == "update" or "finalizers" in meta:
        return json.dumps([write.name, "finalizers", meta.get("finalizers") or []])
    return CONTAINER.sub("CID", json.dumps([write.name, meta], sort_keys=True))


def _conditions(body: Any) -> list[dict[str, Any]]:
    return list(body.get("conditions") or dig(body, ("status", "conditions"), []))

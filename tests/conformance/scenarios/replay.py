"""Plays a scenario in our own world and compares it step by step."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.comparing.circles import Circles, stands
from tests.conformance.comparing.compare import (
    events_difference,
    first_difference,
    pace_difference,
    response_difference,
    workloads_difference,
    writes_difference,
)
from tests.conformance.comparing.matching import Histories, match
from tests.conformance.comparing.normalise import normalise
from tests.conformance.comparing.ordered import ordered_difference
from tests.conformance.comparing.writes import Write, chooses, one_by_one, recorded_writes
from tests.conformance.scenarios.acts import UnknownActError, perform
from tests.conformance.scenarios.observe import observe, observe_events
from tests.conformance.scenarios.world import ANY_NODE, ANY_ZONE, World, zone_of


@dataclass
class _Run:
    """What is known so far of the recorded run and of ours."""

    recorded: Histories = field(default_factory=Histories)
    ours: Histories = field(default_factory=Histories)
    pairs: dict[str, str] = field(default_factory=dict)
    number: int = 0
    circles: Circles = field(default_factory=lambda: Circles({}))
    carried: list[Write] = field(default_factory=list)
    """Recorded writes of a step that ended in the middle of its work: they are compared with those of the next one."""


SNAPSHOT_SECONDS = 0.3
"""How long it took to note the state behind a step that was not waited for."""

PHASES = (0.0, 0.6, 0.3)
"""Fractions of a second at which the clock may start: times are whole seconds, and who is the more recent of two pods
can hang on where a second ended in the recorded run."""


def replay(recording: dict[str, Any]) -> str:
    """Play one scenario; give "" when it agrees at some phase of the clock, else the first difference at the first."""
    differences = []
    for phase in PHASES:
        difference = _play(recording, phase)
        if not difference:
            return ""
        differences.append(difference)
    return differences[0]


def _play(recording: dict[str, Any], phase: float) -> str:
    recording = rested(unwaited(recording))
    world, run = World(recording, phase), _Run()
    moving = mid_flight(recording)
    run.circles = Circles(recording)
    last = len(recording["steps"])
    moving |= {at for at, step in enumerate(recording["steps"], 1) if step.get("unwaited") and at < last}
    for number, step in enumerate(recording["steps"], 1):
        world.begin(number - 1)
        try:
            run.number = number
            difference = _step(
                world, run, step, quiet=number not in moving, closed=_closed(number, step, moving)
            )
        except UnknownActError as unknown:
            difference = f"cannot be replayed: {unknown}"
        if difference:
            return f"step {number}: {difference}"
    return ""


def _closed(number: int, step: dict[str, Any], moving: frozenset[int]) -> bool:
    """Say whether the state that a step shows can be met again: it was settled, or is the last in mid-flight."""
    return number not in moving or not (step.get("unwaited") or number + 1 in moving)


def unwaited(recording: dict[str, Any]) -> dict[str, Any]:
    """Mark the steps that nobody waited for: what was written in them is noted with the step behind each."""
    if "not waited for" not in (recording.get("note") or ""):
        return recording
    steps = recording["steps"]
    marked = [
        step | {"unwaited": True}
        if not step["writes"] and behind["writes"] and "wait" not in step["do"]
        else step
        for step, behind in zip(steps, [*steps[1:], {"writes": []}], strict=True)
    ]
    return recording | {"steps": marked}


def rested(recording: dict[str, Any]) -> dict[str, Any]:
    """Join each step and the waits behind it where seconds decide in which of them something happened.

    Recordings whose note says so were closed at instants that no second run meets; what had happened at the end of a
    wait is the same in every run.
    """
    if "Depends on seconds" not in (recording.get("note") or ""):
        return recording
    steps: list[dict[str, Any]] = []
    for step in recording["steps"]:
        if "wait" not in step["do"] or not steps:
            steps.append(step)
            continue
        before = steps.pop()
        writes, waits = before["writes"] + step["writes"], [*before.get("waits", []), step["do"]]
        ended = {key: step[key] for key in ("state", "events")}
        steps.append(before | ended | {"writes": writes, "waits": waits})
    return recording | {"steps": steps}


def mid_flight(recording: dict[str, Any]) -> frozenset[int]:
    """Give the numbers of the steps that were closed before all was quiet, as the recording's note has them."""
    found = re.search(r"[Ss]teps? ([0-9, and]+) (?:is|are) caught in mid-flight", recording.get("note") or "")
    return frozenset(int(number) for number in re.findall(r"[0-9]+", found[1])) if found else frozenset()


def _step(world: World, run: _Run, step: dict[str, Any], *, quiet: bool, closed: bool) -> str:
    """Play and compare one step.

    Of two steps in mid-flight the first shows an instant that no second run meets: what it wrote counts for the next.
    """
    theirs = run.carried + recorded_writes(step, native=world.native)
    run.carried = []
    world.prefer(world.names.realise(_paired_names(run, _touched(theirs))))
    answer = perform(world, step["do"], run.pairs)
    met = step.get("response") or {}
    met |= {"object": run.circles.without_turn(met["object"])} if "object" in met else {}
    body = run.circles.without_turn(_renamed(world, run, answer.body))
    if met and (difference := response_difference(met, answer.code, body)):
        return difference
    if run.circles.has(run.number):
        world.run_until(lambda: stands(step["state"], theirs, _observed(world), _written(world)))
    elif quiet:
        world.run_until_quiet()
        for wait in step.get("waits", ()):
            perform(world, wait, run.pairs)
            world.run_until_quiet()
    else:
        world.run(SNAPSHOT_SECONDS if step.get("unwaited") else 0)
        for wait in step.get("waits", ()):
            perform(world, wait, run.pairs)
        if not closed:
            run.carried = theirs
            return ""
    _take_lost_race(world, step)
    if world.racing:
        _take_lost_completion(world, step)
    state, writes = _observed(world), _written(world)
    world.log.take()
    turned = theirs
    theirs, writes = run.circles.fresh(theirs), run.circles.fresh(writes)
    run.circles.close(run.number, turned)
    shrunk = len(step["state"]["pods"]) < len(run.recorded.alive)
    run.recorded.record(step["state"]["pods"], step["state"]["claims"], theirs)
    run.ours.record(
        _as_recorded(state["pods"], step["state"]["pods"]),
        _known_fields(state["claims"], step["state"]["claims"]),
        writes,
    )
    return (
        workloads_difference(step["state"]["workloads"], state["workloads"])
        or first_difference(step["state"]["revisions"], state["revisions"], "revisions")
        or _pods_difference(run, shrunk=shrunk)
        or _order_difference(run, one_by_one(theirs), one_by_one(writes))
        or writes_difference(theirs, writes)
        or first_difference(step["state"].get("pullJobs", []), state["pullJobs"], "pull jobs")
        or first_difference(step["state"].get("budgets", []), state["budgets"], "budgets")
        or pace_difference(theirs, writes)
        or ordered_difference(theirs, writes)
        or events_difference(
            step["events"], observe_events(world.user, world.names), {kind.kind for kind in world.workloads}
        )
    )


def _observed(world: World) -> dict[str, Any]:
    return observe(world.user, world.workloads, world.names, native=world.native)


def _written(world: World) -> list[Write]:
    """Give what was written since the last step, in the recordings' words."""
    return [_normal(world, write) for write in world.log.writes]


def _as_recorded(ours: list[Any], recorded: list[Any]) -> list[Any]:
    """Give our pods as the recording shows its own; some recordings do not say on which nodes they were."""
    if any(pod["node"] == ANY_NODE for pod in recorded):
        ours = [pod | {"node": pod["node"] and ANY_NODE} for pod in ours]
    return _known_fields(ours, recorded)


def _known_fields(ours: list[Any], recorded: list[Any]) -> list[Any]:
    """Keep the fields that a recording holds of its objects: some hold more than others."""
    known = {key for each in recorded for key in each} or {key for each in ours for key in each}
    return [{key: value for key, value in each.items() if key in known} for each in ours]


def _take_lost_race(world: World, step: dict[str, Any]) -> None:
    """Put a collision count back where the recording's manager lost it: to a status write of an earlier pass (§9.4)."""
    for recorded in step["state"]["workloads"]:
        count = (recorded.get("status") or {}).get("collisionCount")
        live = world.read_workload(recorded["kind"], recorded["name"])
        if (
            live is not None
            and count is not None
            and count < (live.get("status") or {}).get("collisionCount", 0)
        ):
            world.write_status(live, {"collisionCount": count})


def _take_lost_completion(world: World, step: dict[str, Any]) -> None:
    """Put the current revision back where the recording's manager did: to that of a stale cache ([ST-4])."""
    for recorded in step["state"]["workloads"]:
        status = recorded.get("status") or {}
        live = world.read_workload(recorded["kind"], recorded["name"])
        lost = {name: status.get(name) for name in ("currentRevision", "currentReplicas")}
        if live is not None and live["status"].get("currentRevision") != lost["currentRevision"]:
            world.write_status(live, lost)
            world.run_until_quiet()


def _touched(writes: list[Write]) -> list[str]:
    """Give the pods in the order in which a step first chose them for an update or a deletion."""
    return list(dict.fromkeys(write.name for write in writes if write.code < 300 and chooses(write)))


def _paired_names(run: _Run, names: list[str]) -> list[str]:
    return [run.pairs.get(name, name) for name in names]


def _pods_difference(run: _Run, *, shrunk: bool) -> str:
    missing = run.recorded.all() - run.ours.all()
    extra = run.ours.all() - run.recorded.all()
    if missing or extra:
        left = next((h for h in missing), None)
        right = next((h for h in extra), None)
        names = next((name for name, h in run.recorded.by_name.items() if h == left), "")
        if left is None or right is None:
            return f"pods: recorded {len(run.recorded.by_name)} so far, ours {len(run.ours.by_name)}"
        if left[0] != right[0]:
            return f"pods: recorded one named after {left[0] or 'itself'}, ours after {right[0] or 'itself'}"
        at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), -1)
        return f"pod {names}: {_entry_difference(left[at], right[at])}"
    if shrunk and (
        difference := first_difference(run.recorded.crowding(), run.ours.crowding(), "pods per node")
    ):
        return difference
    run.pairs = match(run.recorded, run.ours)
    return ""


def _order_difference(run: _Run, recorded: list[str], ours: list[str]) -> str:
    """Compare in which order pods were updated one after the other; equal pods may change places."""
    theirs = [run.recorded.by_name[name] for name in recorded]
    mine = [run.ours.by_name[name] for name in ours]
    if not recorded or theirs == mine:
        return ""
    return f"order of updates: recorded {', '.join(recorded)}, ours {', '.join(ours)}"


def _entry_difference(recorded: str, ours: str) -> str:
    left, right = json.loads(recorded), json.loads(ours)
    parts = zip(("", "claims", "writes"), left, right, strict=True)
    return next((found for part in parts if (found := first_difference(*part[1:], part[0]))), "")


def _renamed(world: World, run: _Run, body: Any) -> Any:
    """Put the recorded names where our answer has the pods that stand for them."""
    text = json.dumps(normalise(body, world.names), ensure_ascii=False)
    back = {ours: recorded for recorded, ours in run.pairs.items() if ours != recorded}
    back |= {_id(ours): _id(recorded) for ours, recorded in back.items()}
    if isinstance(body, dict) and body.get("kind") == "Pod":
        back |= ANY_ZONE if world.anywhere else _zones(run, world.names.placeholder(body["metadata"]["name"]))
    if back:
        pattern = "|".join(rf"\b{re.escape(name)}\b" for name in back)
        text = re.sub(pattern, lambda found: back[found[0]], text)
    return json.loads(text)


def _zones(run: _Run, ours: str) -> dict[str, str]:
    """Give the zone that our pod is in → that of the recorded pod it stands for."""
    recorded = next((theirs for theirs, mine in run.pairs.items() if mine == ours), "")
    here, there = run.ours.node.get(ours), run.recorded.node.get(recorded)
    return {zone_of(here): zone_of(there)} if here and there and here != there else {}


def _id(name: str) -> str:
    return f"id-{name.rpartition('-')[2]}"


def _normal(world: World, write: Write) -> Write:
    name, body = normalise([write.name, write.body], world.names)
    return write._replace(name=name, body=body)

"""The first difference between a recorded step and ours, as a line a person can act on."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.conformance.comparing.matching import CLAIMS
from tests.conformance.comparing.writes import RACE, Write, done, intent, pace

LONGEST = 400


def first_difference(recorded: Any, ours: Any, path: str = "") -> str:
    """Give where two JSON values part: `status.replicas: recorded 3, ours 2`; "" for equal ones."""
    if isinstance(recorded, dict) and isinstance(ours, dict):
        for key in [*recorded, *(key for key in ours if key not in recorded)]:
            if difference := first_difference(
                recorded.get(key), ours.get(key), f"{path}.{key}" if path else key
            ):
                return difference
        return ""
    if isinstance(recorded, list) and isinstance(ours, list):
        for at, (left, right) in enumerate(zip(recorded, ours, strict=False)):
            if difference := first_difference(left, right, f"{path}[{at}]"):
                return difference
        if len(recorded) != len(ours):
            return f"{path}: recorded {len(recorded)} items, ours {len(ours)}"
        return ""
    if recorded == ours and type(recorded) is type(ours):
        return ""
    return f"{path}: recorded {_short(recorded)}, ours {_short(ours)}"


def response_difference(recorded: dict[str, Any], code: int, body: Any) -> str:
    """Compare the answer to an action: code, message and the object as far as the recording holds it."""
    if recorded["code"] != code:
        return f"answer: recorded {recorded['code']}, ours {code} {_short(body.get('message', ''))}"
    if "message" in recorded and (difference := first_difference(recorded["message"], body.get("message"))):
        return f"answer message{difference}"
    if "object" not in recorded:
        return ""
    wanted = recorded["object"]
    if wanted.get("kind") == "Pod":
        # Service accounts and their token volumes are not simulated.
        wanted = {key: wanted[key] for key in ("kind", "metadata")}
    ours = {key: value for key, value in body.items() if key in wanted}
    return first_difference(wanted, ours, "answer")


def workloads_difference(recorded: list[Any], ours: list[Any]) -> str:
    stale = {
        (workload["kind"], workload["name"], condition["type"])
        for workload in recorded
        for condition in (workload.get("status") or {}).get("conditions") or []
        if RACE in condition.get("message", "")
    }
    theirs, mine = ([_workload(workload, stale) for workload in each] for each in (recorded, ours))
    return first_difference(theirs, mine, "workloads")


def writes_difference(recorded: Iterable[Write], ours: Iterable[Write]) -> str:
    """Compare the intents on everything but pods and claims, whose writes are part of the pods' histories."""
    theirs, mine = (Counter(_others(writes)) for writes in (recorded, ours))
    for wanted in theirs.keys() - mine.keys():
        return f"writes: recorded {_short(wanted)}, not ours"
    for extra in mine.keys() - theirs.keys():
        return f"writes: ours {_short(extra)}, not recorded"
    return ""


def pace_difference(recorded: list[Write], ours: list[Write]) -> str:
    return first_difference(pace(recorded), pace(ours), "at once")


def events_difference(recorded: list[list[str]], ours: list[list[str]], kinds: set[str]) -> str:
    """Compare who said what, not in which words; reports of lost races come and go."""
    theirs, mine = (
        {tuple(event[:4]) for event in events if event[0] in kinds and not _lost(event)}
        for events in (recorded, ours)
    )
    for missing in sorted(theirs - mine):
        return f"events: recorded {missing}, not ours"
    for extra in sorted(mine - theirs):
        return f"events: ours {extra}, not recorded"
    return ""


def _lost(event: list[str]) -> bool:
    """Say whether an event tells of a lost race, or of a deletion that came too late."""
    return RACE in event[4] or (event[3] == "FailedDelete" and event[4].endswith("not found"))


def _others(writes: Iterable[Write]) -> Iterable[tuple[str, tuple[str, ...]]]:
    for write in done(writes):
        wanted = intent(write)
        if wanted is not None and write.resource.split("/")[0] not in {"pods", CLAIMS}:
            yield write.name, wanted


def _workload(workload: dict[str, Any], stale: set[tuple[str, str, str]]) -> Any:
    """Leave out conditions that tell of a lost race, and `stale` ones: such a message stays where another failure follows."""
    status = dict(workload.get("status") or {})
    conditions = [
        condition
        for condition in status.get("conditions") or []
        if RACE not in condition.get("message", "")
        and (workload["kind"], workload["name"], condition["type"]) not in stale
    ]
    status.pop("conditions", None)
    if conditions:
        status["conditions"] = conditions
    return workload | {"status": status}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"

"""What became of objects: the course of each, and the order in which they went."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_kruise.objects.raw import name_of
from kubectl_kruise.sandbox.store import Event

Course = tuple[str, ...]
HASHED = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{6,10}(-[a-z0-9]{5})?$|-HASH(-XXXXX)?$")


def course_difference(recorded: list[dict[str, Any]], events: Iterable[Event]) -> str:
    """Compare the courses of the objects a recording watched, siblings in any order, and the order of departures."""
    resources = {event["resource"] for event in recorded}
    ours = [shown for event in events for shown in _shown(event) if shown["resource"] in resources]
    wanted, got = _courses(recorded), _courses(ours)
    if wanted != got:
        return f"courses: wanted {wanted - got}, got {got - wanted}"
    gone = [[e["resource"] for e in found if e["type"] == "DELETED"] for found in (recorded, ours)]
    return "" if gone[0] == gone[1] else f"departures: wanted {gone[0]}, got {gone[1]}"


def _shown(event: Event) -> Iterator[dict[str, Any]]:
    """Give a change of the store in the form of the recordings."""
    raw = event.new.object
    owners = raw["metadata"].get("ownerReferences") or []
    keys = ("kind", "name", "controller", "blockOwnerDeletion")
    yield {
        "type": event.type,
        "resource": event.new.resource.partition(".")[0],
        "name": name_of(raw),
        "deleting": "deletionTimestamp" in raw["metadata"],
        "finalizers": raw["metadata"].get("finalizers"),
        "owners": [{key: owner.get(key) for key in keys} for owner in owners],
    }


def _courses(events: Iterable[dict[str, Any]]) -> Counter[Course]:
    """Give how often each course was taken: the different states of an object one after the other.

    Siblings whose names end in random characters look alike: their states are taken together.
    """
    found: dict[str, list[str]] = {}
    for event in events:
        name = f"{event['resource']}/{HASHED.sub('', event['name'])}"
        owners = [owner | {"name": HASHED.sub("", owner["name"])} for owner in event["owners"]]
        state = f"{name} {event['type']} {event['deleting']} {event['finalizers']} {owners}"
        states = found.setdefault(name, [])
        if state not in states:
            states.append(state)
    return Counter(tuple(states) for states in found.values())

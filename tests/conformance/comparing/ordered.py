"""What can be told of pods with fixed names beyond what became of them: in which order, how many at once, and when.

Their controller goes through them one after the other, so that two runs take the same ones in the same waves. Its
status is written behind each pass and shows the pods as they were before: how often is chance, the worst of it is not.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.conformance.comparing.compare import first_difference
from tests.conformance.comparing.writes import Write, primary

_FIXED = re.compile(r"-\d+$")
"""The end of a fixed name; where a name was drawn the recordings have a letter before the number."""
_TAKES = frozenset({"created", "deleted", "preparing", "updating"})


class Wave(NamedTuple):
    """Pods to which the same was done without anything else between; `pods` stand in order where that is no chance."""

    kind: str
    pods: tuple[str, ...]


def ordered_difference(recorded: list[Write], ours: list[Write]) -> str:
    """Compare the waves, how many pods were out of service at once, and whether a rollout was over before its time."""
    theirs, mine = (list(map(str, waves(writes))) for writes in (recorded, ours))
    if difference := first_difference(theirs, mine, "waves"):
        return difference
    if not (shown := list(_statuses(recorded))):
        return ""  # an instant at which nothing had been counted yet
    counted = list(_statuses(ours))
    if (most := _most_missing(counted)) > (allowed := _most_missing(shown)):
        return f"unavailable at once: recorded {allowed}, ours {most}"
    if _early(counted) and not _early(shown):
        return "status: ours ends the rollout before all pods are ready, recorded does not"
    return ""


def waves(writes: Iterable[Write]) -> list[Wave]:
    """Give what was done to pods with fixed names; what is sent again to the same pod counts once."""
    found: list[tuple[str, dict[str, None]]] = []
    for write in writes:
        kind = primary(write) if write.code < 300 and _FIXED.search(write.name) else ""
        if kind not in _TAKES:
            continue
        if not found or found[-1][0] != kind:
            found.append((kind, {}))
        found[-1][1][write.name] = None
    return [Wave(kind, tuple(pods) if kind == "updating" else tuple(sorted(pods))) for kind, pods in found]


def _statuses(writes: Iterable[Write]) -> Iterator[dict[str, Any]]:
    for write in writes:
        if write.resource == "statefulsets/status" and write.code < 300:
            yield (write.body or {}).get("status") or {}


def _most_missing(statuses: Iterable[dict[str, Any]]) -> int:
    return max((_count(each, "replicas") - _count(each, "availableReplicas") for each in statuses), default=0)


def _early(statuses: Iterable[dict[str, Any]]) -> bool:
    """Say whether the current revision became that of the update while a pod was not ready."""
    rolling = False
    for each in statuses:
        over = each.get("currentRevision") == each.get("updateRevision")
        if rolling and over and _count(each, "readyReplicas") < _count(each, "replicas"):
            return True
        rolling = not over
    return False


def _count(status: dict[str, Any], name: str) -> int:
    return int(status.get(name) or 0)

"""One look of the node daemon at a request: which containers to kill now, and where each of them stands ([C-12])."""

import json
from typing import NamedTuple

from kubectl_kruise.facts.recreation import FAILED, PENDING, RECREATING, SUCCEEDED, SYNCED_STATUSES
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig


class Step(NamedTuple):
    """`states` are what the status is to say, `kills` ids of containers, `due` when to look again without news."""

    states: list[Raw]
    kills: tuple[str, ...]
    over: bool
    due: float | None


class _Container(NamedTuple):
    """One requested container as it is: `replaced` once another one runs, or waits to, in its place."""

    id: str
    running: bool
    started: float
    replaced: bool
    ready: bool


def next_step(request: Raw, pod: Raw, now: float, *, killed: frozenset[str], error: str = "") -> Step:
    """Go through the containers in the order of the request.

    `killed` are the ids that were killed already; `error` is why killing fails, "" where it does not.
    """
    strategy = dig(request, ("spec", "strategy"), {})
    states: list[Raw] = [dict(state) for state in _states(request)]
    kills: list[str] = []
    due: list[float] = []
    for state, asked in zip(states, request["spec"]["containers"], strict=True):
        if state["phase"] not in (SUCCEEDED, FAILED):
            container = _look(request, pod, asked, killed)
            if not state.get("isKilled"):
                _begin(state, container, kills, error, force=bool(strategy.get("forceRecreate")))
            elif container.running and not container.replaced and container.id not in killed:
                kills.append(container.id)  # a daemon that was restarted no longer knows whether it had
            if state["phase"] == RECREATING and container.replaced and container.ready and not kills:
                since = container.started + float(strategy.get("minStartedSeconds") or 0)
                if since <= now:
                    state["phase"] = SUCCEEDED
                else:
                    due.append(since)
        if state["phase"] == FAILED and strategy.get("failurePolicy") != "Ignore":
            return Step(states, tuple(kills), over=True, due=None)
        if strategy.get("orderedRecreate") and state["phase"] not in (SUCCEEDED, FAILED):
            break
    over = all(state["phase"] in (SUCCEEDED, FAILED) for state in states)
    return Step(states, tuple(kills), over, min(due, default=None))


def _begin(state: Raw, container: _Container, kills: list[str], error: str, *, force: bool) -> None:
    """Kill a container that runs; one that was started anew meanwhile, or is about to be, is only waited for, unless forced."""
    if container.replaced and not force:
        state["phase"] = RECREATING
    elif container.running or force:
        if error:
            state |= {"phase": FAILED, "message": f"kill container error: {error}", "isKilled": False}
            return
        kills.append(container.id)
        state |= {"phase": RECREATING, "isKilled": True}


def _look(request: Raw, pod: Raw, asked: Raw, killed: frozenset[str]) -> _Container:
    status = statuses_of(pod).get(asked["name"], {})
    container_id = str(status.get("containerID") or "")
    started = parse_rfc3339(dig(status, ("state", "running", "startedAt")))
    return _Container(
        container_id,
        started is not None,
        started or 0.0,
        container_id != dig(asked, ("statusContext", "containerID")) and container_id not in killed,
        container_id in _ready_ids(request),
    )


def _states(request: Raw) -> list[Raw]:
    """Give a state per requested container; a name asked for twice has one state in each place."""
    known = dig(request, ("status", "containerRecreateStates"), [])
    asked = request["spec"]["containers"]
    if [state["name"] for state in known] == [each["name"] for each in asked]:
        return list(known)
    return [{"name": each["name"], "phase": PENDING} for each in asked]


def _ready_ids(request: Raw) -> frozenset[str]:
    """Give the containers that the manager, which sees the pod's status, has reported as ready."""
    try:
        synced = json.loads(annotations_of(request).get(SYNCED_STATUSES) or "[]")
    except ValueError:
        return frozenset()
    return frozenset(str(each.get("containerID")) for each in synced if each.get("ready"))

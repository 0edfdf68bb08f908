"""What becomes of a ContainerRecreateRequest, from the request and its pod (small-kinds.md §3.2)."""

import json
from typing import Final

from kubectl_kruise.facts.names import KRUISE_POD_READY
from kubectl_kruise.facts.recreation import ANSWER_SECONDS, NO_ANSWER, POD_GONE, TOO_LATE
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, dig, metadata, name_of, namespace_of

USER_AGENT: Final = "ContainerRecreateRequest"


def untimely_end(request: Raw, now: float, *, pod_gone: bool) -> str:
    """Give the message with which a request ends that can not go on, "" for one that can.

    `now` is in seconds since the epoch ([C-4], [C-6], [C-7]).
    """
    if pod_gone:
        return POD_GONE
    created = _created(request)
    deadline = dig(request, ("spec", "activeDeadlineSeconds"))
    if deadline is not None and now >= created + deadline:
        return TOO_LATE
    return "" if dig(request, ("status", "phase")) or now < created + ANSWER_SECONDS else NO_ANSWER


def when_due(request: Raw) -> float | None:
    """Give the time at which the request is to be looked at again without having changed, None for never.

    That is its deadline, the end of the daemon's time to answer, or once it is over the end of its time to live ([C-9]).
    """
    if over := parse_rfc3339(dig(request, ("status", "completionTime"))):
        live = dig(request, ("spec", "ttlSecondsAfterFinished"))
        return None if live is None else over + float(live)
    created, times = _created(request), []
    if (deadline := dig(request, ("spec", "activeDeadlineSeconds"))) is not None:
        times.append(created + float(deadline))
    if not dig(request, ("status", "phase")):
        times.append(created + ANSWER_SECONDS)
    return min(times, default=None)


def synced_statuses(request: Raw, pod: Raw) -> list[Raw]:
    """Give what the daemon is told of the requested containers that were started after the request ([C-5])."""
    created, statuses = _created(request), statuses_of(pod)
    found = []
    for asked in dig(request, ("spec", "containers"), []):
        status = statuses.get(asked["name"], {})
        since = parse_rfc3339(dig(status, ("state", "running", "startedAt")))
        replaced = status.get("containerID") != dig(asked, ("statusContext", "containerID"))
        if since is not None and since >= created and replaced:
            found.append(
                {
                    "name": asked["name"],
                    "ready": bool(status.get("ready")),
                    "restartCount": status.get("restartCount", 0),
                    "containerID": status.get("containerID", ""),
                }
            )
    return found


def holds(pod: Raw, request: Raw) -> bool:
    """Say whether the request keeps the pod out of service."""
    return _entry(request) in _holders(pod)


def hold_message(pod: Raw, request: Raw) -> str:
    """Give the message of condition KruisePodReady with the request among those that hold the pod ([C-10])."""
    return _text([*_holders(pod), _entry(request)])


def release_message(pod: Raw, request: Raw) -> str:
    """Give the message without the request; `[]` means that nobody holds the pod any more ([C-11])."""
    return _text([each for each in _holders(pod) if each != _entry(request)])


def _holders(pod: Raw) -> list[Raw]:
    try:
        found = json.loads((condition(pod, KRUISE_POD_READY) or {}).get("message") or "[]")
    except ValueError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _entry(request: Raw) -> Raw:
    return {"userAgent": USER_AGENT, "key": f"{namespace_of(request)}/{name_of(request)}"}


def _text(holders: list[Raw]) -> str:
    return json.dumps(holders, separators=(",", ":"))


def _created(request: Raw) -> float:
    return parse_rfc3339(metadata(request).get("creationTimestamp")) or 0.0

"""The status of a Deployment: counters, conditions, and whether the rollout moves (DR4)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw, dig, metadata, name_of
from kubectl_kruise.sandbox.simulation.deployment.sizes import available_of, limits_of, size_of

NO_DEADLINE: Final = 2**31 - 1
COMPLETE_REASON: Final = "NewReplicaSetAvailable"
TIMED_OUT_REASON: Final = "ProgressDeadlineExceeded"


class Finding(NamedTuple):
    """What a condition says."""

    kind: str
    value: str
    reason: str
    message: str


def deployment_status(deployment: Raw, sets: Sequence[Raw], new: Raw | None, now: float) -> Raw:
    """Count over all ReplicaSets and judge availability. Zero counters are left out, `terminatingReplicas` is not."""
    available = sum(available_of(each) for each in sets)
    total = sum(size_of(each) for each in sets)
    counters = {
        "replicas": sum(dig(each, ("status", "replicas"), 0) for each in sets),
        "updatedReplicas": dig(new, ("status", "replicas"), 0),
        "readyReplicas": sum(dig(each, ("status", "readyReplicas"), 0) for each in sets),
        "availableReplicas": available,
        "unavailableReplicas": max(0, total - available),
    }
    status: Raw = {"observedGeneration": metadata(deployment).get("generation", 0)}
    status |= {name: count for name, count in counters.items() if count}
    status["terminatingReplicas"] = sum(dig(each, ("status", "terminatingReplicas"), 0) for each in sets)
    if (collisions := dig(deployment, ("status", "collisionCount"))) is not None:
        status["collisionCount"] = collisions
    status["conditions"] = list(dig(deployment, ("status", "conditions"), []))
    if available >= limits_of(deployment).least_available:
        finding = Finding(
            "Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."
        )
    else:
        text = "Deployment does not have minimum availability."
        finding = Finding("Available", "False", "MinimumReplicasUnavailable", text)
    put(status, finding, now)
    return status


def judge_progress(deployment: Raw, status: Raw, sets: Sequence[Raw], new: Raw | None, now: float) -> None:
    """Bring the conditions Progressing and ReplicaFailure of a fresh status up to date, in place."""
    old = progressing(deployment)
    if not has_deadline(deployment):
        remove(status, "Progressing")
    elif not _was_complete(status, old):
        what = f'ReplicaSet "{name_of(new)}"' if new is not None else f'Deployment "{name_of(deployment)}"'
        if complete(deployment, status):
            text = f"{what} has successfully progressed."
            put(status, Finding("Progressing", "True", COMPLETE_REASON, text), now)
        elif _moved(dig(deployment, ("status",), {}), status):
            since = old.get("lastTransitionTime") if old is not None and old.get("status") == "True" else None
            remove(status, "Progressing")
            finding = Finding("Progressing", "True", "ReplicaSetUpdated", f"{what} is progressing.")
            put(status, finding, now, since=since)
        elif timed_out(deployment, status, now):
            text = f"{what} has timed out progressing."
            put(status, Finding("Progressing", "False", TIMED_OUT_REASON, text), now)
    failure = next(
        (found for each in (new, *sets) if (found := condition(each or {}, "ReplicaFailure"))), None
    )
    if failure is None:
        remove(status, "ReplicaFailure")
    else:
        text = failure.get("message", "")
        put(status, Finding("ReplicaFailure", failure["status"], failure["reason"], text), now)


def complete(deployment: Raw, status: Raw) -> bool:
    """Say whether all pods are new and available, and the controller has seen the last change."""
    wanted = limits_of(deployment).replicas
    counts = (status.get(name, 0) for name in ("updatedReplicas", "replicas", "availableReplicas"))
    seen = status.get("observedGeneration", 0) >= metadata(deployment).get("generation", 0)
    return seen and all(count == wanted for count in counts)


def timed_out(deployment: Raw, status: Raw, now: float) -> bool:
    found = condition({"status": status}, "Progressing")
    if found is None or not has_deadline(deployment) or found.get("reason") == COMPLETE_REASON:
        return False
    return found.get("reason") == TIMED_OUT_REASON or time_left(deployment, found, now) < 0


def next_check(deployment: Raw, status: Raw, now: float) -> float | None:
    """Give the seconds until a stuck rollout runs out of time, None where nothing is to be waited for."""
    found = condition({"status": status}, "Progressing")
    if found is None or not has_deadline(deployment) or dig(deployment, ("spec", "paused")):
        return None
    if found.get("reason") in (COMPLETE_REASON, TIMED_OUT_REASON) or complete(deployment, status):
        return None
    # Times have whole seconds: one more, so that the deadline has surely passed.
    return max(0.0, time_left(deployment, found, now)) + 1.0


def time_left(deployment: Raw, found: Raw, now: float) -> float:
    deadline = dig(deployment, ("spec", "progressDeadlineSeconds"), NO_DEADLINE)
    return (parse_rfc3339(found.get("lastUpdateTime")) or now) + float(deadline) - now


def progressing(deployment: Raw) -> Raw | None:
    return condition(deployment, "Progressing")


def has_deadline(deployment: Raw) -> bool:
    return bool(dig(deployment, ("spec", "progressDeadlineSeconds"), NO_DEADLINE) != NO_DEADLINE)


def put(status: Raw, finding: Finding, now: float, *, since: str | None = None) -> bool:
    """Set a condition, at the end of the list; one that says the same already keeps its times. Say whether it changed."""
    old = condition({"status": status}, finding.kind)
    if old is not None and old.get("status") == finding.value and old.get("reason") == finding.reason:
        return False
    if since is None and old is not None and old.get("status") == finding.value:
        since = old.get("lastTransitionTime")
    remove(status, finding.kind)
    status["conditions"].append(
        {
            "type": finding.kind,
            "status": finding.value,
            "lastUpdateTime": rfc3339(now),
            "lastTransitionTime": since or rfc3339(now),
            "reason": finding.reason,
            "message": finding.message,
        }
    )
    return True


def remove(status: Raw, kind: str) -> None:
    status["conditions"] = [found for found in status.get("conditions") or [] if found.get("type") != kind]


def _was_complete(status: Raw, old: Raw | None) -> bool:
    done = status.get("replicas", 0) == status.get("updatedReplicas", 0)
    return done and old is not None and old.get("reason") == COMPLETE_REASON


def _moved(old: Raw, new: Raw) -> bool:
    def outdated(status: Raw) -> int:
        return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))

    gained = any(
        new.get(n, 0) > old.get(n, 0) for n in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )
    return gained or outdated(new) < outdated(old)

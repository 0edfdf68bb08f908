"""Questions about a container's status, and how a run ends."""

from typing import Final

from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw, dig

PULL_ERROR: Final = "ImagePullBackOff"
CRASHING: Final = "CrashLoopBackOff"


def running(status: Raw) -> bool:
    return "running" in status["state"]


def ended_well(status: Raw) -> bool:
    """Say whether the container has ended with exit code 0."""
    ended = status["state"].get("terminated")
    return ended is not None and ended.get("exitCode", 0) == 0


def waiting_for(status: Raw) -> str:
    """Give the reason of a waiting container, "" for one that does not wait."""
    return str(dig(status, ("state", "waiting", "reason"), ""))


def creations(status: Raw) -> int:
    """Count how often a container was made of this spec."""
    return int(status.get("restartCount", 0)) + 1 if status.get("containerID") else 0


def end(status: Raw, code: int, now: float) -> Raw:
    """Give the status of a container that ran until now."""
    started = dig(status, ("state", "running", "startedAt"), rfc3339(now))
    return status | {"state": {"terminated": termination(status, code, started, now)}, "started": False}


def termination(status: Raw, code: int, started: str, now: float) -> Raw:
    return {
        "exitCode": code,
        "reason": "Error" if code else "Completed",
        "startedAt": started,
        "finishedAt": rfc3339(now),
        "containerID": status.get("containerID", ""),
    }

"""What is wrong with a pod, and when it has been wrong for so long that waiting has no point (cli.md §1.1 row 14)."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, dig, name_of, uid_of

PULL_REASONS: Final = frozenset(
    {
        "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
        "RegistryUnavailable", "SignatureValidationFailed",
    }
)  # fmt: skip
CONFIG_REASONS: Final = frozenset(
    {
        "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError",
        "PreStartHookError", "PostStartHookError",
    }
)  # fmt: skip
CRASH_REASON: Final = "CrashLoopBackOff"
_CONFIG_REASON: Final = "CreateContainerConfigError"
_RESIZE_PENDING: Final = "PodResizePending"
_RESIZE_BEGUN: Final = "PodResizeInProgress"
_QUOTED_IMAGE: Final = r'image "[^"]+"'


class ProblemKind(StrEnum):
    PULL = "pull"
    CONFIG = "config"
    CRASH = "crash"
    UNSCHEDULABLE = "unschedulable"
    RESIZE = "resize"


class Problem(NamedTuple):
    """One trouble as the pod's status shows it now. `since` is when the status says it began, None where it does not.

    `identity` tells one attempt from the next: another pod, or the same container with another image.
    """

    pod: str
    container: str
    kind: ProblemKind
    reason: str
    message: str = ""
    exit_code: int | None = None
    exit_reason: str = ""
    restarts: int = 0
    since: float | None = None
    identity: tuple[str, ...] = ()

    @property
    def crashes(self) -> str:
        """Restarts in words; "" for troubles that restarts tell nothing about."""
        if self.kind is not ProblemKind.CRASH or not self.restarts:
            return ""
        return f"{self.restarts} restart{'' if self.restarts == 1 else 's'}"


class Sighting(NamedTuple):
    """When a problem was first noticed, and the container's restarts at that time."""

    since: float
    restarts: int


class FailFast(NamedTuple):
    """Limits beyond which a problem counts as hopeless; `restarts` 0 switches that limit off."""

    seconds: float = 30.0
    restarts: int = 3
    unschedulable: float = 60.0

    def due(self, problem: Problem, sighting: Sighting) -> float:
        """Give the time at which the problem becomes hopeless; -inf where its restarts have already made it so.

        Restarts of a container that was updated in place go on counting from before the update, so those count that
        were seen, and all of them only in a pod that was created with the revision.
        """
        if problem.kind is ProblemKind.UNSCHEDULABLE:
            return sighting.since + self.unschedulable
        crashed = problem.kind is ProblemKind.CRASH and self.restarts
        if crashed and problem.restarts - sighting.restarts >= self.restarts:
            return float("-inf")
        return sighting.since + self.seconds


def pod_problems(pod: Raw, unswitched: Sequence[str] = ()) -> tuple[Problem, ...]:
    """Give every trouble of a pod, init containers first.

    `unswitched` names containers that still run the image before an in-place update: their crashes are the old
    image's, while a failed pull is about the new one.
    """
    if (unplaced := _unschedulable(pod)) is not None:
        return (unplaced,)
    images = {
        each.get("name"): str(each.get("image") or "")
        for field in ("initContainers", "containers")
        for each in dig(pod, ("spec", field), [])
    }
    statuses = [
        *dig(pod, ("status", "initContainerStatuses"), []),
        *dig(pod, ("status", "containerStatuses"), []),
    ]
    held = held_containers(pod)
    found = [
        _container_problem(pod, status, images.get(status.get("name"), ""))
        for status in statuses
        if status.get("name") not in held
    ]
    return tuple(
        problem
        for problem in (*found, _infeasible(pod))
        if problem is not None and not (problem.kind is ProblemKind.CRASH and problem.container in unswitched)
    )


def held_containers(pod: Raw) -> list[str]:
    """Name the containers that wait for those of a higher launch priority (cloneset.md §17.4).

    Their barrier is a key that is not in its config map yet: to a kubelet a fault of their configuration.
    """
    barrier = f"{name_of(pod)}-barrier"
    waiting = {
        str(status.get("name")): dig(status, ("state", "waiting"), {})
        for status in dig(pod, ("status", "containerStatuses"), [])
    }
    return [
        name
        for name, found in waiting.items()
        if found.get("reason") == _CONFIG_REASON and barrier in str(found.get("message") or "")
    ]


def resize_trouble(pod: Raw) -> str:
    """Give the kubelet's words on new resources that it has not given to the pod's containers; "" where it has none."""
    pending, begun = condition(pod, _RESIZE_PENDING) or {}, condition(pod, _RESIZE_BEGUN) or {}
    found = pending if pending.get("status") == "True" else begun
    if found.get("status") != "True" or not found.get("reason"):
        return ""
    message = str(found.get("message") or "").strip()
    return f"resize {str(found['reason']).lower()}{f': {message}' if message else ''}"


def sight(
    known: Mapping[tuple[str, ...], Sighting], problem: Problem, now: float, *, updated_in_place: bool
) -> Sighting:
    """Give the sighting of a problem: the one known, or a first one."""
    if (seen := known.get(problem.identity)) is not None:
        return seen
    since = now if problem.since is None else min(now, problem.since)
    return Sighting(since, problem.restarts if updated_in_place else 0)


def _unschedulable(pod: Raw) -> Problem | None:
    placed = condition(pod, "PodScheduled")
    if placed is None or placed.get("status") != "False" or placed.get("reason") != "Unschedulable":
        return None
    return Problem(
        name_of(pod), "", ProblemKind.UNSCHEDULABLE, "Unschedulable", str(placed.get("message") or ""),
        since=parse_rfc3339(placed.get("lastTransitionTime")), identity=(uid_of(pod),),
    )  # fmt: skip


def _infeasible(pod: Raw) -> Problem | None:
    """Find a resize that the pod's node can never carry out; one that is only deferred may still come."""
    pending = condition(pod, _RESIZE_PENDING) or {}
    if pending.get("status") != "True" or pending.get("reason") != "Infeasible":
        return None
    return Problem(
        name_of(pod), "", ProblemKind.RESIZE, "ResizeInfeasible", resize_trouble(pod),
        since=parse_rfc3339(pending.get("lastTransitionTime")),
        identity=(uid_of(pod), _RESIZE_PENDING, str(pending.get("observedGeneration") or "")),
    )  # fmt: skip


def _container_problem(pod: Raw, status: Raw, image: str) -> Problem | None:
    waiting = dig(status, ("state", "waiting"), {})
    reason = str(waiting.get("reason") or "")
    ended = dig(status, ("state", "terminated")) or dig(status, ("lastState", "terminated")) or {}
    restarts = int(status.get("restartCount") or 0)
    name = str(status.get("name") or "")
    identity = (uid_of(pod), name, image)
    message = str(waiting.get("message") or "")
    if reason in PULL_REASONS or reason in CONFIG_REASONS:
        kind = ProblemKind.PULL if reason in PULL_REASONS else ProblemKind.CONFIG
        if kind is ProblemKind.PULL and _about_another_image(message, image):
            return None
        return Problem(name_of(pod), name, kind, reason, message, restarts=restarts, identity=identity)
    crashed_now = bool(dig(status, ("state", "terminated"))) and ended.get("exitCode") not in (0, None)
    if reason != CRASH_REASON and not (crashed_now and restarts):
        return None
    return Problem(
        name_of(pod), name, ProblemKind.CRASH, reason or str(ended.get("reason") or "Error"),
        str(ended.get("message") or ""), ended.get("exitCode"), _exit_reason(ended), restarts,
        parse_rfc3339(ended.get("finishedAt")), identity,
    )  # fmt: skip


def _about_another_image(message: str, image: str) -> bool:
    """Say whether a pull error is left over from the image before an in-place update.

    The kubelet goes on showing it for a moment; `status.image` does not tell, as it names what ran last.
    """
    return bool(re.search(_QUOTED_IMAGE, message)) and image not in message


def _exit_reason(ended: Raw) -> str:
    """Say why the process ended where the kubelet knows more than "Error"."""
    reason = str(ended.get("reason") or "")
    if reason == "OOMKilled":
        return "out of memory"
    return "" if reason in ("Error", "Completed") else reason

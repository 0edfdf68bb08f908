"""What each container of a pod is doing about an update (cloneset.md §17.5-18.1, cli.md §4.1)."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import images_of, statuses_of
from kubectl_kruise.objects.raw import Raw, dig

if TYPE_CHECKING:
    from kubectl_kruise.engine.inplace.state import State


class Step(StrEnum):
    """`PLANNED` waits for the grace period, `NEXT` for an earlier batch, `KEPT` is not touched by the update."""

    PLANNED = "planned"
    NEXT = "next"
    RESTARTING = "restarting"
    PULLING = "pulling"
    STARTING = "starting"
    DONE = "done"
    KEPT = "kept"
    FAILING = "failing"


class ContainerProgress(NamedTuple):
    """`before` is the image that still runs, `since` (epoch seconds) when the step began where that is known."""

    name: str
    step: Step
    image: str = ""
    before: str = ""
    restarts: int = 0
    reason: str = ""
    since: float | None = None
    crashes: str = ""


def container_steps(
    pod: Raw, state: "State | None", outdated: Collection[str] = (), problems: Sequence[Problem] = ()
) -> tuple[ContainerProgress, ...]:
    """Say what each container is doing, in the order of the spec.

    `state` is the in-place update under way (None for a pod created with its revision), `outdated` names what still
    runs the image of before.
    """
    statuses = statuses_of(pod)
    broken = {problem.container: problem for problem in problems}
    steps = []
    for name, image in images_of(pod).items():
        status = statuses.get(name) or {}
        if name in broken:
            step = ContainerProgress(
                name,
                Step.FAILING,
                image,
                reason=broken[name].reason,
                since=broken[name].since,
                crashes=broken[name].crashes,
            )
        elif state is None:
            step = _run(name, image, status)
        elif name in state.waiting:
            step = ContainerProgress(name, Step.NEXT, state.next_images.get(name, image), image)
        elif name in outdated:
            step = _restart(name, image, status)
        elif name in (state.last or {}):
            step = _run(name, image, status)
        else:
            step = ContainerProgress(name, Step.KEPT, image)
        steps.append(step._replace(restarts=int(status.get("restartCount") or 0)))
    return tuple(steps)


def planned_steps(pod: Raw, images: dict[str, str]) -> tuple[ContainerProgress, ...]:
    """Say what each container will do at the end of a grace period; `images` are those to come."""
    return tuple(
        ContainerProgress(name, Step.PLANNED, images[name], now)
        if name in images
        else ContainerProgress(name, Step.KEPT, now)
        for name, now in images_of(pod).items()
    )


def _restart(name: str, image: str, status: Raw) -> ContainerProgress:
    """Give a container whose new image is not running yet: the old one still is, or nothing while it is pulled."""
    running_image = str(status.get("image") or "")
    before = running_image if running_image != image else ""
    if dig(status, ("state", "running")) is not None:
        return ContainerProgress(name, Step.RESTARTING, image, before)
    stopped = parse_rfc3339(dig(status, ("state", "terminated", "finishedAt")))
    return ContainerProgress(name, Step.PULLING, image, before, since=stopped)


def _run(name: str, image: str, status: Raw) -> ContainerProgress:
    started = parse_rfc3339(dig(status, ("state", "running", "startedAt")))
    return ContainerProgress(name, Step.DONE if status.get("ready") else Step.STARTING, image, since=started)

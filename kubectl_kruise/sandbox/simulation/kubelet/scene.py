"""What a kubelet remembers of a pod, and the delays that hold for it: timers only, all of them re-armed after a restart."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, uid_of
from kubectl_kruise.sandbox.simulation.kubelet.runtime import stale_environments
from kubectl_kruise.sandbox.simulation.profile import Profile

RESIZE_VERDICTS: Final = {"hold": "Deferred", "infeasible": "Infeasible"}
"""Words in the place of a delay: what a kubelet says of new resources that it does not grant now, or ever."""


@dataclass(slots=True)
class Timer:
    """One container's next step. Times are seconds since the epoch."""

    image: str = ""
    """The image last acted on, "" for none since this process began."""
    due: float | None = None
    crashes: int = 0
    resize: tuple[Raw, float] | None = None
    """The resources last asked of the running container, and since when."""


@dataclass(slots=True)
class Memory:
    """One pod's timers."""

    uid: str
    seen: float
    written: int = 0
    """resourceVersion of the last own write: an older cached pod is not acted on."""
    stop_at: float | None = None
    containers: dict[str, Timer] = field(default_factory=dict)

    def timer(self, container: str) -> Timer:
        return self.containers.setdefault(container, Timer())


@dataclass(frozen=True, slots=True)
class Scene:
    """One look at one pod: the instant, the delays, and the times at which to look again (`wake`, filled on the way)."""

    profile: Profile
    now: float
    uid: str
    memory: Memory
    policy: str
    going: bool
    start_at: float
    restart_delay: float
    run_seconds: float
    resize_delay: float
    """Infinite while new resources are held back."""
    resize_verdict: str
    """Why they are: `Deferred` or `Infeasible`, "" where they are not."""
    unready: frozenset[str]
    stale: frozenset[str]
    """Containers that the node daemon ends: for their environment, or because a request says so."""
    shut: Mapping[str, str]
    """Containers that cannot start yet for their launch priority, each with the kubelet's words."""
    wake: list[float] = field(default_factory=list)

    @property
    def meant_to_end(self) -> bool:
        return self.policy != "Always"


def look(
    pod: Raw,
    memory: Memory,
    profile: Profile,
    now: float,
    *,
    killed: frozenset[str] = frozenset(),
    shut: Mapping[str, str] = MappingProxyType({}),
) -> Scene:
    """Gather what holds for the pod at this instant; its annotations may override the profile's delays.

    `killed` are ids of containers that somebody has ended, `shut` the words about those whose barrier is not open.
    """
    unready = steer(pod, profile, "not-ready") or ""
    verdict = RESIZE_VERDICTS.get(steer(pod, profile, "resize-delay") or "", "")
    return Scene(
        profile=profile,
        now=now,
        uid=uid_of(pod),
        memory=memory,
        policy=str(dig(pod, ("spec", "restartPolicy"), "Always")),
        going=bool(dig(pod, ("metadata", "deletionTimestamp"))),
        start_at=memory.seen + seconds(pod, profile, "start-delay", profile.start_delay),
        restart_delay=seconds(pod, profile, "update-delay", profile.restart_delay),
        run_seconds=seconds(pod, profile, "run-seconds", profile.run_seconds),
        resize_delay=math.inf if verdict else seconds(pod, profile, "resize-delay", profile.resize_delay),
        resize_verdict=verdict,
        unready=frozenset(name.strip() for name in unready.split(",")) - {"", "false"},
        stale=(stale_environments(pod) if profile.node_daemon else frozenset()) | _names(pod, killed),
        shut=shut,
    )


def _names(pod: Raw, ids: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name, status in statuses_of(pod).items() if status.get("containerID") in ids)


def steer(raw: Raw, profile: Profile, name: str) -> str | None:
    """Give the value of one of the annotations that steer the simulation."""
    return annotations_of(raw).get(f"{profile.annotations}/{name}")


def seconds(pod: Raw, profile: Profile, name: str, default: float) -> float:
    """Read a delay from an annotation; what is no number counts as absent."""
    try:
        return float(steer(pod, profile, name) or default)
    except ValueError:
        return default

"""One moment of one rollout: what every screen and every record is made from."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.pace import Estimate
from kubectl_kruise.engine.phases import PodProgress
from kubectl_kruise.engine.problems import Problem
from kubectl_kruise.engine.verdict import Verdict
from kubectl_kruise.objects.workload import Workload


class Trouble(NamedTuple):
    """A problem of an updated pod; `terminal` once it is beyond the limits of fail-fast."""

    problem: Problem
    since: float
    terminal: bool


class Snapshot(NamedTuple):
    """Times are epoch seconds. `pods` are as many as the caller asked for, the worst first."""

    workload: Workload
    verdict: Verdict
    counts: Counts
    now: float
    started: float
    revision: str = ""
    phases: Mapping[str, int] = MappingProxyType({})
    pods: Sequence[PodProgress] = ()
    unfinished: int = 0
    troubles: Sequence[Trouble] = ()
    estimate: Estimate | None = None
    last_progress: float | None = None
    numbers: Mapping[str, int] = MappingProxyType({})
    old_images: Mapping[str, str] = MappingProxyType({})
    context: str = ""
    qualified: bool = False
    """Whether names need their namespace beside them."""
    came_from: str = ""
    """The revision of before, also once the status has forgotten it."""

    silence: str = ""
    """Why the server does not answer, "" while it does; everything else is as it was then."""
    silent_since: float = 0.0
    held_by: str = ""
    """The budget that lets no further pod go, as a sentence; "" where none is known to."""

    @property
    def current_revision(self) -> str:
        return self.workload.current_revision

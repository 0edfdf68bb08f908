"""Move pods a few at a time: new ones of the CloneSet first, then fewer of the Deployment, or the other way (migration.md §6.1)."""

from typing import Final, NamedTuple

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.surge import Grow, Levels, Limits, Moved, Shrink, Wait, next_surge
from kubectl_kruise.errors import KruiseError, NotFoundError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, Kind
from kubectl_kruise.objects.raw import Raw, dig, name_of, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError

_LOOK_SECONDS: Final = 0.5


class Side(NamedTuple):
    """One of the two workloads."""

    kind: Kind
    path: str
    key: str
    """What the journal calls the number written last: `deployment` or `cloneset`."""


class Surge:
    """One gradual move between the two sides, in either direction; `lowest` is the fewest ready pods seen."""

    def __init__(self, run: Run, keeper: Keeper, limits: Limits, *, follow: bool = False) -> None:
        paths = Paths(run.namespace, keeper.journal)
        self.run = run
        self.keeper = keeper
        self.limits = limits
        self.follow = follow
        self.deployment = Side(DEPLOYMENT, paths.deployment, "deployment")
        self.cloneset = Side(CLONESET, paths.cloneset, "cloneset")
        self.lowest = limits.total

    def move(self, giving: Side, getting: Side) -> None:
        """Move all pods. Raises TimedOutError after `run.patience` seconds without progress; both sides go on serving."""
        best, since = -1, self.run.clock.monotonic()
        while True:
            one, other = self.read(giving), self.read(getting)
            levels = _levels(one, other)
            self.lowest = min(self.lowest, _ready(one) + _ready(other))
            if (progress := levels.getting_available - levels.giving) > best:
                best, since = progress, self.run.clock.monotonic()
                self.tell(levels)
            if self.unsettled(one) or self.unsettled(other):
                step: Grow | Shrink | Wait | Moved = Wait()
            else:
                step = next_surge(levels, self.limits)
            match step:
                case Moved():
                    return
                case Grow(replicas):
                    self.scale(getting, other, replicas)
                case Shrink(replicas):
                    self.scale(giving, one, replicas)
                case Wait():
                    if self.run.clock.monotonic() - since > self.run.patience:
                        raise TimedOutError(
                            f"no progress for {self.run.patience:g}s: {levels.getting_available} of"
                            f" {self.limits.total} pods moved; both workloads go on serving",
                            hint="run it again to go on, or with --rollback",
                        )
                    self.run.wait(_LOOK_SECONDS)

    def tell(self, levels: Levels) -> None:
        moved, ready = levels.getting_available, levels.giving_available + levels.getting_available
        self.run.tell(f"moved={moved}/{self.limits.total} ready={ready} min-ready={self.lowest}")

    def read(self, side: Side) -> Raw:
        live = fetch(self.run, side.path)
        if live is None:
            raise NotFoundError(f"the {side.kind.kind} is gone")
        return live

    def unsettled(self, live: Raw) -> bool:
        """Say whether a controller has yet to see what was written: its counts are not to be trusted."""
        kind = DEPLOYMENT if live["kind"] == DEPLOYMENT.kind else CLONESET
        return not Workload(live, kind).observed

    def scale(self, side: Side, live: Raw, replicas: int) -> None:
        """Write a number, noted in the journal before: whatever else stands there later is somebody else's."""
        present = int(dig(live, ("spec", "replicas"), 1))
        counters = dict(self.keeper.journal.counters)
        expected = {counters.get(side.key, present), counters.get(f"{side.key}_before", present)}
        if present not in expected and not self.follow:
            raise ForeignScaleError(
                f"somebody else has scaled {side.kind.singular} {name_of(live)} to {present}: stopped, both serve",
                hint="stop whoever did it (an autoscaler?) and run it again, or with --follow",
            )
        counters |= {side.key: replicas, f"{side.key}_before": present}
        self.keeper.write(counters=counters)
        body = {"metadata": {"resourceVersion": version_of(live)}, "spec": {"replicas": replicas}}
        try:
            self.run.cluster.patch(f"{side.path}/scale", Patch(PatchType.MERGE, body))
        except KruiseError as error:
            if error.http not in (409, 422) and error.http < 500:
                raise
            self.run.wait(_LOOK_SECONDS)


def _levels(giving: Raw, getting: Raw) -> Levels:
    return Levels(_wanted(giving), _available(giving), _wanted(getting), _available(getting))


def _wanted(live: Raw) -> int:
    return int(dig(live, ("spec", "replicas"), 1))


def _available(live: Raw) -> int:
    return min(int(dig(live, ("status", "availableReplicas"), 0)), _wanted(live))


def _ready(live: Raw) -> int:
    return int(dig(live, ("status", "readyReplicas"), 0))

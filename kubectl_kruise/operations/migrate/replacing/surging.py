"""Move pods a few at a time: new ones of one workload first, then fewer of the other (migration.md §6.1 G3)."""

from typing import Final

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.levels import Side, levels_of
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.engine.migration.surge import Grow, Limits, Moved, Shrink, Wait, next_surge
from kubectl_kruise.errors import NotFoundError, TimedOutError
from kubectl_kruise.facts.kinds import CLONESET, Kind
from kubectl_kruise.objects.raw import Raw, dig, version_of
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.counting import Both, count
from kubectl_kruise.operations.migrate.replacing.lowpoint import LOWEST, LowPoint
from kubectl_kruise.operations.migrate.replacing.owning import check_source, check_target
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ChangedError, ForeignScaleError

_LOOK_SECONDS: Final = 0.5
_SHOWN: Final = 5


class Surge:
    """One gradual move, towards the CloneSet or, `backward`, towards the Deployment."""

    def __init__(self, run: Run, keeper: Keeper, *, backward: bool = False) -> None:
        self.run = run
        self.keeper = keeper
        self.backward = backward
        self.follow = backward or bool(keeper.journal.options.get("follow"))
        self.watched = LowPoint(run, keeper.journal)
        self._written: dict[str, set[int]] = {}
        self._best: tuple[int, int] | None = None
        self._since = run.clock.monotonic()

    @property
    def limits(self) -> Limits:
        limits = limits_of(self.keeper.journal)
        return limits._replace(left=0) if self.backward else limits

    def move(self) -> None:
        """Move all pods.

        Raises TimedOutError after `run.patience` seconds without progress, ForeignScaleError where somebody else scales,
        ChangedError where the source gets another template. Both workloads go on serving then.
        """
        while not persist(self.run, self.turn):
            self.watched.wait(_LOOK_SECONDS)
        counters = {**self.keeper.journal.counters, LOWEST: self.watched.lowest}
        persist(self.run, lambda: self.keeper.write(counters=counters))

    def turn(self) -> bool:
        """Look once and write at most once; says whether everything has moved."""
        both = count(self.run, self.keeper.journal)
        giving, getting = self.sides(both)
        self.watched.know(both)
        self.check_template(giving)
        self.check_same(both)
        for side in (giving, getting):
            self.check_scale(side)
        self.note_progress(both, giving, getting)
        if self.busy(giving) or not getting.workload.observed:
            return False
        if self.backward and giving.unready:
            self.discard(giving)
            return False
        if self.backward and not giving.wanted and getting.wanted >= self.limits.total:
            return True  # a Deployment that was not well before need not become so to be back
        match next_surge(levels_of(giving, getting), self.limits):
            case Moved():
                return True
            case Grow(replicas):
                self.scale(getting, replicas)
            case Shrink(replicas):
                self.scale(giving, replicas)
            case Wait():
                pass
        return False

    def sides(self, both: Both) -> tuple[Side, Side]:
        """Give who gives and who gets."""
        deployment, cloneset = both
        if deployment is None or cloneset is None:
            kind = "Deployment" if deployment is None else "CloneSet"
            raise NotFoundError(f"somebody has deleted the {kind} while pods moved", hint="--rollback")
        return (cloneset, deployment) if self.backward else (deployment, cloneset)

    def busy(self, giving: Side) -> bool:
        """Say whether who gives has yet to carry out what was written last."""
        ended = not giving.ending or not self.keeper.journal.options.get("wait_termination")
        return not (giving.settled and ended)

    def check_same(self, both: Both) -> None:
        """Stop where the source is no longer the one this began with, or the CloneSet that of somebody else."""
        journal = self.keeper.journal
        if not self.backward and both.native is not None:
            check_source(journal, both.native.workload.raw)
        if both.kruise is not None:
            check_target(journal, both.kruise.workload.raw)

    def check_template(self, giving: Side) -> None:
        template = ("spec", "template")
        if self.backward or dig(giving.workload.raw, template) == dig(
            self.keeper.journal.source_manifest, template
        ):
            return
        raise ChangedError(
            f"the template of {giving.workload.title} was changed while pods moved: stopped, both serve",
            hint="--rollback, then migrate again",
        )

    def check_scale(self, side: Side) -> None:
        """Stop where the number of a side is not the one written last; with `follow` take the difference over."""
        key, journal = _key(side.workload.kind), self.keeper.journal
        written = self._written.setdefault(key, _noted(journal, key))
        if side.wanted in written:
            self._written[key] = {side.wanted}
            return
        if not self.follow:
            raise ForeignScaleError(
                f"somebody else has scaled {side.workload.title} to {side.wanted}: stopped, both serve",
                hint="stop whoever did it and run it again, or go along with --mode surge --follow, or back with --rollback",
            )
        noted = int(journal.counters.get(key, max(written)))
        total = max(0, journal.replicas + side.wanted - noted)
        self.run.tell(f"{side.workload.title} was scaled to {side.wanted}: {total} pods in all from now on")
        counters = {**journal.counters, key: side.wanted, f"{key}_before": side.wanted}
        self.keeper.write(replicas=total, counters=counters)
        self._written[key] = {side.wanted}

    def scale(self, side: Side, replicas: int) -> None:
        """Write a number, noted in the journal before: whatever else stands there later is somebody else's."""
        self._note(side, replicas)
        body = {
            "metadata": {"resourceVersion": version_of(side.workload.raw)},
            "spec": {"replicas": replicas},
        }
        self.run.cluster.patch(f"{self._path(side)}/scale", Patch(PatchType.MERGE, body))
        self._written[_key(side.workload.kind)] = {replicas}

    def discard(self, giving: Side) -> None:
        """Let the CloneSet delete by name the pods that serve nobody: no available one can go in their place."""
        left = giving.wanted - len(giving.unready)
        self._note(giving, left)
        spec: Raw = {"replicas": left, "scaleStrategy": {"podsToDelete": giving.unready}}
        body = {"metadata": {"resourceVersion": version_of(giving.workload.raw)}, "spec": spec}
        self.run.cluster.patch(self._path(giving), Patch(PatchType.MERGE, body))
        self._written[_key(giving.workload.kind)] = {left}

    def note_progress(self, both: Both, giving: Side, getting: Side) -> None:
        """Tell what has moved; raises TimedOutError where nothing has for too long, whether or not anything happens."""
        total = self.limits.moving
        moved = min(getting.available, total)
        progress = (getting.available, -giving.wanted)
        self.run.seen(Stage.MOVE_PODS, Counts(moved, total, both.ready))
        if self._best is None or progress > self._best:
            self._best, self._since = progress, self.run.clock.monotonic()
        elif self.run.clock.monotonic() - self._since >= self.run.patience:
            raise TimedOutError(
                f"no progress for {self.run.patience:g}s, {moved} of {total} pods moved; both workloads go on serving",
                cause=_obstacle(giving, getting),
                hint="run it again to go on, or with --rollback to go back",
            )

    def _note(self, side: Side, replicas: int) -> None:
        key, counters = _key(side.workload.kind), self.keeper.journal.counters
        noted = {key: replicas, f"{key}_before": side.wanted, LOWEST: self.watched.lowest}
        self._written[key] = {side.wanted, replicas}
        self.keeper.write(counters={**counters, **noted})

    def _path(self, side: Side) -> str:
        paths = Paths(self.run.namespace, self.keeper.journal)
        return paths.kruise if side.workload.kind is CLONESET else paths.native


def _obstacle(giving: Side, getting: Side) -> str:
    """Say what nothing moves for: pods that are not ready, or that could not even be made."""
    if unready := [*getting.unready, *giving.unready]:
        more = f" and {len(unready) - _SHOWN} more" if len(unready) > _SHOWN else ""
        return f"not ready: {', '.join(unready[:_SHOWN])}{more}"
    if (made := len(getting.pods)) < getting.wanted:
        return f"{getting.workload.title} has {made} of {getting.wanted} pods: its events say why"
    return f"still ending: {', '.join(giving.ending[:_SHOWN])}" if giving.ending else ""


def limits_of(journal: Journal) -> Limits:
    options = journal.options
    part = options.get("part")
    left = 0 if part is None else max(0, journal.replicas - int(part))
    return Limits(journal.replicas, int(options["surge"]), int(options["unavailable"]), left)


def _key(kind: Kind) -> str:
    """Give what the journal calls the number that was last written to a workload."""
    return kind.singular


def _noted(journal: Journal, key: str) -> set[int]:
    """Give the numbers that may stand there after the writes of earlier runs, the last of which may have failed."""
    if key in journal.counters:
        return {journal.counters[key], journal.counters[f"{key}_before"]}
    return {0} if key == CLONESET.singular else {journal.replicas}

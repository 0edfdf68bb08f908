"""Move pods a few at a time: new ones of one workload first, then fewer of the other (migration.md §6.1 G3)."""

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.levels import Side, levels_of
from kubectl_kruise.engine.migration.surge import Grow, Limits, Moved, Shrink, Wait, next_surge
from kubectl_kruise.facts.kinds import CLONESET, Kind
from kubectl_kruise.objects.raw import Raw, version_of
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.replacing.counting import count
from kubectl_kruise.operations.migrate.replacing.lowpoint import LOWEST
from kubectl_kruise.operations.migrate.replacing.moving import Move
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError


class Surge(Move):
    """One gradual move, towards the CloneSet or, `backward`, towards the Deployment."""

    def __init__(self, run: Run, keeper: Keeper, *, backward: bool = False) -> None:
        super().__init__(run, keeper, backward=backward)
        self.follow = backward or bool(keeper.journal.options.get("follow"))
        self._written: dict[str, set[int]] = {}

    @property
    def limits(self) -> Limits:
        limits = limits_of(self.keeper.journal)
        return limits._replace(left=0) if self.backward else limits

    def turn(self) -> bool:
        """Look once and write at most once; says whether everything has moved."""
        both = count(self.run, self.keeper.journal)
        giving, getting = self.sides(both)
        self.watched.know(both)
        self.check_template(giving)
        self.check_same(both)
        for side in (giving, getting):
            self.check_scale(side)
        moving = self.limits.moving
        progress = (getting.available, -giving.wanted)
        self.note_progress(both, (giving, getting), progress, moving, min(getting.available, moving))
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

    def busy(self, giving: Side) -> bool:
        """Say whether who gives has yet to carry out what was written last."""
        ended = not giving.ending or not self.keeper.journal.options.get("wait_termination")
        return not (giving.settled and ended)

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
        self.run.cluster.patch(f"{self.path(side.workload.kind)}/scale", Patch(PatchType.MERGE, body))
        self._written[_key(side.workload.kind)] = {replicas}

    def discard(self, giving: Side) -> None:
        """Let the CloneSet delete by name the pods that serve nobody: no available one can go in their place."""
        left = giving.wanted - len(giving.unready)
        self._note(giving, left)
        spec: Raw = {"replicas": left, "scaleStrategy": {"podsToDelete": giving.unready}}
        body = {"metadata": {"resourceVersion": version_of(giving.workload.raw)}, "spec": spec}
        self.run.cluster.patch(self.path(giving.workload.kind), Patch(PatchType.MERGE, body))
        self._written[_key(giving.workload.kind)] = {left}

    def _note(self, side: Side, replicas: int) -> None:
        key, counters = _key(side.workload.kind), self.keeper.journal.counters
        noted = {key: replicas, f"{key}_before": side.wanted, LOWEST: self.watched.lowest}
        self._written[key] = {side.wanted, replicas}
        self.keeper.write(counters={**counters, **noted})


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

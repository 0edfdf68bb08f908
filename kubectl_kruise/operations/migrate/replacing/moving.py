"""What every move by and by has in common: look, write at most once, and see that something happens (migration.md §6)."""

from abc import ABC, abstractmethod
from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.levels import Side
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.errors import NotFoundError, TimedOutError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths
from kubectl_kruise.operations.migrate.persisting import persist
from kubectl_kruise.operations.migrate.replacing.counting import Both
from kubectl_kruise.operations.migrate.replacing.lowpoint import LOWEST, LowPoint
from kubectl_kruise.operations.migrate.replacing.owning import check_source, check_target
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ChangedError

_LOOK_SECONDS: Final = 0.5
_SHOWN: Final = 5


class Move(ABC):
    """One move from the source of the journal to its target or, `backward`, to the source again."""

    def __init__(self, run: Run, keeper: Keeper, *, backward: bool = False) -> None:
        self.run = run
        self.keeper = keeper
        self.backward = backward
        self.watched = LowPoint(run, keeper.journal)
        self._best: tuple[int, ...] | None = None
        self._since = run.clock.monotonic()

    @property
    def journal(self) -> Journal:
        return self.keeper.journal

    @property
    def giver(self) -> Kind:
        return self.journal.target_kind if self.backward else self.journal.kind

    @property
    def getter(self) -> Kind:
        return self.journal.kind if self.backward else self.journal.target_kind

    def move(self) -> None:
        """Move all pods.

        Raises TimedOutError after `run.patience` seconds without progress, ForeignScaleError where somebody else scales,
        ChangedError where the source gets another template. Both workloads go on serving then.
        """
        while not persist(self.run, self.turn):
            self.watched.wait(_LOOK_SECONDS)
        counters = {**self.journal.counters, LOWEST: self.watched.lowest}
        persist(self.run, lambda: self.keeper.write(counters=counters))

    @abstractmethod
    def turn(self) -> bool:
        """Look once and write at most once; says whether everything has moved."""

    def sides(self, both: Both) -> tuple[Side, Side]:
        """Give who gives and who gets. Raises NotFoundError where one of them is gone."""
        giving, getting = both.of(self.giver), both.of(self.getter)
        if giving is None or getting is None:
            kind = self.giver if giving is None else self.getter
            raise NotFoundError(f"somebody has deleted the {kind.called} while pods moved", hint="--rollback")
        return giving, getting

    def path(self, kind: Kind) -> str:
        paths = Paths(self.run.namespace, self.journal)
        return paths.native if kind.native else paths.kruise

    def check_same(self, both: Both) -> None:
        """Stop where the source is no longer the one this began with, or the target that of somebody else."""
        source, target = both.of(self.journal.kind), both.of(self.journal.target_kind)
        if not self.backward and source is not None:
            check_source(self.journal, source.workload.raw)
        if target is not None:
            check_target(self.journal, target.workload.raw)

    def check_template(self, giving: Side) -> None:
        template = ("spec", "template")
        noted = dig(self.journal.source_manifest, template)
        if self.backward or dig(giving.workload.raw, template) == noted:
            return
        raise ChangedError(
            f"the template of {giving.workload.title} was changed while pods moved: stopped, both serve",
            hint="--rollback, then migrate again",
        )

    def note_progress(
        self, both: Both, sides: tuple[Side, Side], progress: tuple[int, ...], total: int, moved: int
    ) -> None:
        """Tell what has moved; raises TimedOutError where `progress` has not grown for too long, whether or not anything happens."""
        self.run.seen(Stage.MOVE_PODS, Counts(moved, total, both.ready))
        if self._best is None or progress > self._best:
            self._best, self._since = progress, self.run.clock.monotonic()
        elif self.run.clock.monotonic() - self._since >= self.run.patience:
            raise TimedOutError(
                f"no progress for {self.run.patience:g}s, {moved} of {total} pods moved; both workloads go on serving",
                cause=_obstacle(*sides),
                hint="run it again to go on, or with --rollback to go back",
            )


def _obstacle(giving: Side, getting: Side) -> str:
    """Say what nothing moves for: pods that are not ready, or that could not even be made."""
    if unready := [*getting.unready, *giving.unready]:
        more = f" and {len(unready) - _SHOWN} more" if len(unready) > _SHOWN else ""
        return f"not ready: {', '.join(unready[:_SHOWN])}{more}"
    if (made := len(getting.pods)) < getting.wanted:
        return f"{getting.workload.title} has {made} of {getting.wanted} pods: its events say why"
    return f"still ending: {', '.join(giving.ending[:_SHOWN])}" if giving.ending else ""

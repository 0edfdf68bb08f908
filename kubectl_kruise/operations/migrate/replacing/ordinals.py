"""Move the pods of a set to its twin, one ordinal at a time, each with its claims (migration.md §6.2)."""

from typing import Final

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.levels import Side
from kubectl_kruise.engine.migration.ordinals import ordinal_of
from kubectl_kruise.engine.migration.passage import (
    Arrived,
    Free,
    Lines,
    MoveKruise,
    MoveNative,
    Window,
    may_take,
    next_passage,
    take,
    window_of,
)
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw, version_of
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.replacing.counting import Both, count
from kubectl_kruise.operations.migrate.replacing.moving import Move
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError

UNREADY: Final = "unready"
"""What the journal calls the pods that were not ready at the start, where those may be."""


def note_unready(run: Run, keeper: Keeper) -> None:
    """Note how many pods are not ready before anything moves, where the user says that they need not become so."""
    journal = keeper.journal
    if not journal.options.get("allow_unready") or UNREADY in journal.counters:
        return
    side = count(run, journal).of(journal.kind)
    unready = len(side.unready) if side is not None else 0
    keeper.write(counters={**journal.counters, UNREADY: unready})


class Passage(Move):
    """One move of all ordinals, to the set of Kruise from the highest on, or to the native one from the lowest on."""

    def __init__(self, run: Run, keeper: Keeper, *, backward: bool = False) -> None:
        super().__init__(run, keeper, backward=backward)
        self.to_kruise = not self.getter.native

    @property
    def window(self) -> Window:
        journal = self.journal
        return window_of(journal.native_manifest, journal.kruise_manifest, journal.replicas)

    def turn(self) -> bool:
        """Look once and write at most once; says whether everything has moved."""
        both = count(self.run, self.journal)
        giving, getting = self.sides(both)
        self.watched.know(both)
        self.check_template(giving)
        self.check_same(both)
        lines, total = self.lines(both), self.window.total
        travelled = sum(lines) if not self.to_kruise else 2 * total - sum(lines)
        moved = min(getting.available, total)
        self.note_progress(both, (giving, getting), (travelled, getting.available), total, moved)
        match next_passage(lines, total, to_kruise=self.to_kruise):
            case Arrived():
                return self.whole(getting)
            case Free(line):
                if giving.settled and not self.holders(both, line):
                    self.write(take(lines, to_kruise=self.to_kruise), both)
            case MoveNative() | MoveKruise() as due:
                if self.may_go(giving, getting, self.holders(both, min(due.line, *lines))):
                    self.write(due, both)
        return False

    def lines(self, both: Both) -> Lines:
        """Give where the two sets meet. Raises ForeignScaleError where they do not: somebody else scales one of them."""
        assert both.native is not None  # noqa: S101 - both sides are there
        assert both.kruise is not None  # noqa: S101
        window, native = self.window, both.native.wanted
        kruise = window.line_of(both.kruise.workload.raw)
        if kruise is None or native > window.total or kruise - native not in (0, 1):
            raise ForeignScaleError(
                f"somebody else has scaled {both.native.workload.title} to {native} or"
                f" {both.kruise.workload.title} to {both.kruise.wanted}, or changed its reserved ordinals:"
                " stopped, both serve",
                hint=f"{window.total} in all, and none twice: set the numbers back, then run it again, or with --rollback",
            )
        return Lines(native, kruise)

    def holders(self, both: Both, line: int) -> list[Raw]:
        """Give the pods of an ordinal, ending ones too."""
        ordinal, name = self.window.ordinals[line], self.journal.source.name
        pods = [pod for side in both if side is not None for pod in side.pods]
        return [pod for pod in pods if ordinal_of(pod, name) == ordinal]

    @property
    def excused(self) -> int:
        return self.journal.counters.get(UNREADY, 0)

    def whole(self, getting: Side) -> bool:
        """Say whether who gets has all that was given to it so far."""
        return getting.workload.observed and getting.available >= getting.wanted - self.excused

    def may_go(self, giving: Side, getting: Side, next_one: list[Raw]) -> bool:
        """Say whether the next pod may go: no more than one is missing at any time, but for those that never were ready.

        On the way back the pods that serve nobody hold up nothing.
        """
        if not (giving.settled and self.whole(getting)):
            return False
        loses = any(map(ready, next_one))
        excused = self.excused
        if self.backward:
            excused += max(0, len(giving.unready) - (0 if loses else len(next_one)))
        return may_take(giving.available + getting.available, self.window.total, loses=loses, excused=excused)

    def write(self, due: MoveNative | MoveKruise, both: Both) -> None:
        """Move the line of one set."""
        moves_native = isinstance(due, MoveNative)
        side = both.native if moves_native else both.kruise
        assert side is not None  # noqa: S101 - both sides are there
        patch: Raw = {"metadata": {"resourceVersion": version_of(side.workload.raw)}}
        self.run.check()
        if moves_native:
            patch["spec"] = {"replicas": due.line}
            self.run.cluster.patch(f"{self.path(NATIVE_STATEFULSET)}/scale", Patch(PatchType.MERGE, patch))
        else:
            patch |= self.window.patch(due.line)
            self.run.cluster.patch(self.path(STATEFULSET), Patch(PatchType.MERGE, patch))

"""One workload to migrate: what stands there, what is to be done, and how it ended."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Act
from kubectl_kruise.cli.migrating.order import Order
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.changes.stewards import ending
from kubectl_kruise.engine.migration.checks.check import Grade
from kubectl_kruise.engine.migration.journal import Journal, Mode, Phase, Reference
from kubectl_kruise.engine.migration.marks import compare_marks
from kubectl_kruise.engine.migration.pairs import pair_of, twin_of
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.errors import KruiseError, NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.names import MIGRATE_SOURCE
from kubectl_kruise.objects.raw import annotations_of, uid_of
from kubectl_kruise.objects.retention import retains
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Preflight
from kubectl_kruise.operations.migrate.before.preflight import look_ahead
from kubectl_kruise.operations.migrate.carrying import Ended, adjust, begin, carry_out, only_create
from kubectl_kruise.operations.migrate.flow import roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import list_pods
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.views.migration.report import Pods
from kubectl_kruise.views.migration.steps import Outline


class Doing(StrEnum):
    """What is going to happen to one workload."""

    BEGIN = "begin"
    GO_ON = "go on"
    UNDO = "undo"
    NOTHING = "nothing"


class Watcher(NamedTuple):
    """Who follows a run: a line of talk, a stage with its counts, and the question whether to stop."""

    tell: Callable[[str], None]
    seen: Callable[[Stage, Counts | None], None]
    check: Callable[[], None]


class Errand:
    """One workload; `prepare` reads, `carry_out` writes."""

    def __init__(self, session: Session, target: Target, order: Order) -> None:
        self.session = session
        self.target = target
        self.order = order
        self.doing = Doing.NOTHING
        self.keeper: Keeper | None = None
        self.ahead: Preflight | None = None
        self.stale: Keeper | None = None
        """A journal of an earlier migration, done and overtaken: a new one takes its place."""

    @property
    def short(self) -> str:
        return f"{self.target.kind.word}/{self.target.name}"

    @property
    def journal(self) -> Journal | None:
        return self.keeper.journal if self.keeper else None

    @property
    def successor(self) -> str:
        """Name the other workload, `cloneset/web`."""
        name = self.journal.target.name if self.journal else self.order.how.to_name or self.target.name
        return f"{twin_of(self.target.kind).word}/{name}"

    @property
    def successor_display(self) -> str:
        return f"{twin_of(self.target.kind).display}/{self.successor.partition('/')[2]}"

    def run(self, watcher: Watcher | None = None) -> Run:
        cluster, clock = self.session.cluster, self.session.clock
        run = Run(
            cluster, clock, self.target.namespace, patience=self.order.patience, settle=self.order.settle
        )
        if watcher is None:
            return run

        def check() -> None:
            watcher.check()
            if self.keeper is not None:
                self.keeper.renew()

        return run._replace(tell=watcher.tell, seen=watcher.seen, check=check)

    def prepare(self) -> None:
        """Read what is there and decide what is to be done. Raises RefusedError where that cannot be."""
        keeper = self._find(self.target.kind, self.target.name)
        if keeper is not None and keeper.journal.phase is Phase.DONE and self.overtaken(keeper.journal):
            self.stale, keeper = keeper, None
        self.keeper = keeper
        act = self.order.act
        if act is Act.STATUS:
            self.keeper = keeper or self.stale
            if self.keeper is None:
                raise self.unknown("tell of")
        elif act is Act.ROLLBACK:
            self.keeper = keeper or self.stale
            if self.keeper is None:
                raise self.unknown("roll back")
            self.doing = Doing.UNDO
        elif keeper is not None:
            undoing = keeper.journal.phase is Phase.UNDOING
            done = keeper.journal.phase is Phase.DONE
            self.doing = Doing.NOTHING if done else Doing.UNDO if undoing else Doing.GO_ON
        elif act is Act.RESUME:
            raise self.unknown("go on with")
        else:
            self._refuse_amid()
            self.look()
            self.doing = Doing.BEGIN

    def _find(self, kind: Kind, name: str) -> Keeper | None:
        reference = Reference(kind.kind, name, f"{kind.group}/{kind.versions[0]}")
        filing = self.order.filing(self.session)
        return Keeper.find(
            self.session.cluster, self.session.clock, self.target.namespace, reference, filing=filing
        )

    def _refuse_amid(self) -> None:
        """Raise RefusedError where an unfinished migration of the twin is about these very objects.

        What it has half done looks like trouble, and what resolves such trouble would only harm.
        """
        twin = twin_of(self.target.kind)
        origin = "" if self.target.kind.native else self._origin().partition("/")[2]
        for name in dict.fromkeys(filter(None, (self.order.how.to_name or self.target.name, origin))):
            found = self._find(twin, name)
            if found is None or found.journal.phase is Phase.DONE:
                continue
            if self.target.name not in (found.journal.target.name, found.journal.source.name):
                continue
            source = f"{twin.word}/{name}"
            raise RefusedError(
                f"cannot migrate {self.short}: a migration of {source} is under way",
                hint=ending(source, self.target.namespace),
            )

    def overtaken(self, journal: Journal) -> bool:
        """Say whether the source of a migration that is done exists anew, so that it can migrate again."""
        try:
            live = self.session.fetch(self.target)
        except NotFoundError:
            return False
        return bool(journal.source.uid) and uid_of(live) != journal.source.uid

    def look(self) -> None:
        """Check everything before the first write."""
        try:
            source = Workload(self.session.fetch(self.target), self.target.kind)
        except NotFoundError:
            raise self.missing() from None
        wish = self.order.wish
        if self.order.part is not None and self.order.part > source.replicas:
            raise RefusedError(f"{self.short} has {source.replicas} pods: {self.order.part} cannot be moved")
        self.ahead = look_ahead(self.run(), source, wish)

    def unknown(self, what: str) -> KruiseError:
        """Give the error for a migration that was never begun, or not under this name."""
        hint = ""
        if not self.target.kind.native and (origin := self._origin()):
            hint = f"it was made from {origin}: kubectl kruise migrate {origin} --{self.order.act}"
        return NotFoundError(f"there is no migration of {self.short} to {what}", hint=hint)

    def missing(self) -> KruiseError:
        """Give the error for a source that is not there; one whose journal is lost is not simply absent."""
        kind = self.target.kind
        twin = Target(twin_of(kind), self.target.namespace, self.order.how.to_name or self.target.name)
        text = f'no {kind.word} "{self.target.name}" in namespace "{self.target.namespace}"'
        if kind.native and self._origin(twin) == self.short:
            return NotFoundError(
                f"{text}: {twin.kind.word}/{twin.name} was made from it, and no journal of that is left",
                hint=f"where its pods have no owner, restore the journal and --resume; else: kubectl kruise migrate"
                f" {twin.kind.word}/{twin.name} --to {kind.singular}",
            )
        return NotFoundError(text, hint=f"kubectl get {self.target.kind.resource} -n {self.target.namespace}")

    def _origin(self, target: Target | None = None) -> str:
        try:
            live = self.session.fetch(target or self.target)
        except NotFoundError:
            return ""
        kind, _, rest = annotations_of(live).get(MIGRATE_SOURCE, "").partition("/")
        name = rest.partition("/")[0]
        return f"{kind.lower()}/{name}" if name else ""

    def check(self) -> None:
        """Raise RefusedError where a check stands against the start, or another run works on it."""
        if self.keeper is not None and self.doing is not Doing.NOTHING:
            self.keeper.check_free(steal=self.order.steering.steal)
        if self.ahead is None:
            return
        self.ahead.check()
        if self.order.how.strict:
            warned = [each.check for each in self.ahead.findings if each.grade is Grade.WARNED]
            if warned:
                codes = ", ".join(sorted({check.code for check in warned}))
                raise RefusedError(f"cannot migrate {self.short} under --strict: {codes}")

    def outline(self) -> Outline:
        """Give what the steps are about; for a migration that has been begun, as its journal says."""
        if self.ahead is not None:
            return self._planned(self.ahead)
        journal = self.keeper.journal if self.keeper else None
        assert journal is not None  # noqa: S101 - either looked at or begun
        options = journal.options
        return Outline(
            journal.mode,
            journal.forward,
            f"{journal.kind.called} {journal.source.name}",
            f"{twin_of(journal.kind).called} {journal.target.name}",
            len(journal.pods) or journal.replicas,
            surge=int(options.get("surge", 0)),
            unavailable=int(options.get("unavailable", 0)),
            settle=self.order.settle,
            keep_source=bool(options.get("keep_source")),
            replicasets=len(journal.zero_sized) + bool(journal.replicaset),
            cleanup=self.cleanup,
            creates=self.creates,
            follows=bool(options.get("rewrite_refs")),
            kept=journal.replicas - int(options.get("part", journal.replicas)),
            pair=journal.pair,
            claims=not retains(journal.source_manifest),
            last=bool(options.get("target_last")),
        )

    @property
    def cleanup(self) -> str:
        return f"kubectl kruise migrate cleanup {self.short} -n {self.target.namespace}"

    def _planned(self, ahead: Preflight) -> Outline:
        source, target = ahead.source, ahead.conversion.obj
        pods = source.replicas if self.order.part is None else self.order.part
        return Outline(
            self.order.how.mode,
            self.target.kind.native,
            f"{source.kind.called} {source.name}",
            f"{twin_of(source.kind).called} {target['metadata']['name']}",
            pods,
            ahead.pointers,
            self.order.rewrite,
            int(ahead.options.get("surge", 0)),
            int(ahead.options.get("unavailable", 0)),
            self.order.settle,
            bool(self.order.options["keep_source"]),
            ahead.replicasets,
            self.cleanup,
            self.creates,
            kept=source.replicas - pods,
            pair=pair_of(source.kind),
            claims=not retains(source.raw),
            last=bool(ahead.options.get("target_last")),
        )

    def carry_out(self, watcher: Watcher) -> Ended:
        """Do it; the journal is let go of when it ends early, so that any other run can go on at once."""
        run = self.run(watcher)
        if self.doing is Doing.BEGIN:
            assert self.ahead is not None  # noqa: S101 - looked at before
            if self.stale is not None:
                self.stale.remove()
            filing = self.order.filing(self.session)
            self.keeper = begin(run, self.ahead, self.order.how.mode, self.order.options, filing=filing)
        keeper = self.keeper
        assert keeper is not None  # noqa: S101 - begun, here or earlier
        keeper.take(steal=self.order.steering.steal)
        try:
            if self.doing is Doing.UNDO:
                return Ended(roll_back(run, keeper))
            if self.doing is Doing.GO_ON:
                adjust(run, keeper, self.order.asked, self.order.wish if self.order.paced else None)
            if self.creates is not None:
                only_create(run, keeper, self.creates)
                keeper.let_go()
                return Ended()
            return carry_out(run, keeper)
        except KruiseError:
            keeper.let_go()
            raise

    @property
    def creates(self) -> int | None:
        """How many replicas the CloneSet has with which this stops, None for a whole migration."""
        if self.order.how.stage_only or self.order.act is Act.CREATE:
            return 0
        if self.order.act is Act.COPY and self.ahead is not None:
            return self.ahead.source.replicas
        return None

    def pods(self, ended: Ended = Ended(), lowest: int | None = None) -> Pods:  # noqa: B008 - immutable
        """Count, from the journal and the cluster as they are now, what became of the pods of the start."""
        journal = self.journal
        if journal is None or journal.mode is not Mode.ADOPT:
            found = ended.lowest if ended.lowest is not None else lowest
            return Pods(lowest=found)
        losses = compare_marks(journal.pods, list_pods(self.run(), journal))
        kept = len(journal.pods) - len(losses.gone)
        return Pods(kept, losses.gone, losses.restarted, tuple(ended.ownerless), lowest)

    def pods_of_journal(self, lowest: int | None) -> Pods:
        """Give what is known of the pods without asking the cluster again."""
        return Pods(len(self.journal.pods) if self.journal else 0, lowest=lowest)


def prepare_all(errands: Sequence[Errand]) -> dict[Errand, KruiseError]:
    """Prepare each errand; gives why those failed that did."""
    failed: dict[Errand, KruiseError] = {}
    for errand in errands:
        try:
            errand.prepare()
        except KruiseError as error:
            failed[errand] = error
    return failed

"""Migrate one workload: begin or go on, and say how it ended."""

from typing import Final, NamedTuple

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.options import DryRunMode
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.deployment import IN_PLACE, RECREATE
from kubectl_kruise.engine.migration.journal import Mode, Phase, Reference
from kubectl_kruise.errors import RefusedError, UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.beginning import begin_adoption, begin_release
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.keeping import Keeper
from kubectl_kruise.operations.migrate.preflight import Preflight, Wish, look_ahead
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.views.migration.plan import (
    field_lines,
    heading,
    plan_lines,
    pointer_lines,
    preflight_lines,
)

KINDS: Final = (DEPLOYMENT, CLONESET)


class Asked(NamedTuple):
    """One workload and what is to be done with it."""

    session: Session
    target: Target
    how: Migrating

    @property
    def run(self) -> Run:
        cluster, clock = self.session.cluster, self.session.clock
        patience = parse_timeout(self.how.timeout, "--timeout") or float("inf")
        settle = parse_timeout(self.how.settle, "--settle") or 0.0
        return Run(cluster, clock, self.target.namespace, tell=self.tell, patience=patience, settle=settle)

    @property
    def successor(self) -> str:
        return "cloneset" if self.target.kind is DEPLOYMENT else "deployment"

    def tell(self, text: str) -> None:
        self.session.note(f"{self.target.kind.singular}/{self.target.name}: {text}")


def migrate_one(session: Session, target: Target, how: Migrating) -> None:
    """Migrate, resume, roll back or only plan, as asked."""
    asked = Asked(session, target, how)
    if how.to and how.to.lower() not in (asked.successor, f"{asked.successor}s"):
        raise UsageError(f"--to {how.to}: {target.display} can only become a {asked.successor}")
    reference = Reference(target.kind.kind, target.name, "")
    keeper = Keeper.find(session.cluster, session.clock, target.namespace, reference)
    if how.rollback:
        _roll_back(asked, keeper)
    elif keeper is not None:
        _go_on(asked, keeper)
    elif how.resume:
        raise RefusedError(f"there is no migration of {target.display} to go on with")
    else:
        _begin(asked)


def _begin(asked: Asked) -> None:
    session, target, how = asked
    source = Workload(session.fetch(target), target.kind)
    policy = IN_PLACE if how.in_place else RECREATE
    wish = Wish(Mode(how.mode), how.to_name, policy, how.keep_helm, how.overrides)
    ahead = look_ahead(asked.run, source, wish)
    _show_plan(asked, ahead)
    ahead.check()
    if how.dry_run is not DryRunMode.NONE:
        return
    begin = begin_adoption if target.kind is DEPLOYMENT else begin_release
    _go_on(asked, begin(asked.run, source.raw, ahead.conversion.obj, ahead.options))


def _show_plan(asked: Asked, ahead: Preflight) -> None:
    session = asked.session
    where = f"context {session.cluster.context}, namespace {asked.target.namespace}"
    for line in plan_lines(
        [heading(ahead.source, ahead.conversion, where)],
        preflight_lines(ahead.findings),
        pointer_lines(ahead.pointers, rewrites=False),
        field_lines(ahead.conversion),
    ):
        session.note(line)


def _go_on(asked: Asked, keeper: Keeper) -> None:
    session, target, _ = asked
    journal = keeper.journal
    if journal.phase is Phase.DONE:
        session.say(f"{target.display} unchanged")
        session.note(f"it has been migrated to {journal.target.kind} {journal.target.name} already")
        return
    if target.kind is DEPLOYMENT:
        adopt(asked.run, keeper)
    else:
        release(asked.run, keeper, journal.target_manifest)
        keeper.write(phase=Phase.DONE)
    kind = CLONESET if target.kind is DEPLOYMENT else DEPLOYMENT
    session.say(f"{target.display} migrated to {kind.display}/{journal.target.name}")
    session.note(f"{len(journal.pods)} pods kept, none deleted, created or restarted")


def _roll_back(asked: Asked, keeper: Keeper | None) -> None:
    if keeper is None:
        raise RefusedError(f"there is no migration of {asked.target.display} to roll back")
    roll_back(asked.run, keeper)
    asked.session.say(f"{asked.target.display} rolled back")

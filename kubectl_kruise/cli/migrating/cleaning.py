"""`migrate cleanup`: delete journals of finished migrations, and sources that were kept without pods."""

from typing import NamedTuple

from kubectl_kruise.cli.migrating.begun import begun_targets
from kubectl_kruise.cli.migrating.errand import Errand
from kubectl_kruise.cli.migrating.many import worst
from kubectl_kruise.cli.migrating.options import Act
from kubectl_kruise.cli.migrating.order import KINDS, Order
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.errors import KruiseError, RefusedError
from kubectl_kruise.objects.raw import Raw, dig, uid_of
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import Paths, fetch
from kubectl_kruise.operations.migrate.replacing.gradual import delete_source


class Left(NamedTuple):
    """What a finished migration has left; `source` is one that was kept, None where it is gone."""

    errand: Errand
    keeper: Keeper
    source: Raw | None

    @property
    def names(self) -> str:
        return self.keeper.title + (f" and {self.errand.short}" if self.source is not None else "")


def clean_up(session: Session, which: Selection, order: Order) -> int:
    """Clean up after the migrations chosen; gives the worst exit code, raises the failure of a single one."""
    order = order._replace(act=Act.STATUS)
    many = bool(which.selector or which.every or not (which.words or which.filename))
    targets = begun_targets(session, which, order) if many else session.targets(which, KINDS)
    found: list[Left] = []
    failed: list[KruiseError] = []
    for target in targets:
        try:
            found.append(_left(Errand(session, target, order)))
        except KruiseError as error:
            failed.append(error)
    if len(targets) == 1 and failed:
        raise failed[0]
    deletes = [left for left in found if left.source is not None]
    if len(found) > 1 or deletes:
        names = ", ".join(left.names for left in found)
        if not order.how.yes and not session.interactive:
            raise RefusedError(f"nobody is there to confirm the deletion of {names}", hint="add --yes")
        namespaces = [left.errand.target.namespace for left in found]
        session.confirm(
            f"delete {names}: nothing can be rolled back after that", namespaces, yes=order.how.yes
        )
    for left in found:
        _delete(left)
    return worst([session.complain(failure) for failure in failed])


def _left(errand: Errand) -> Left:
    """Give what there is to clean up. Raises RefusedError where the migration is not finished."""
    errand.prepare()
    keeper = errand.keeper
    assert keeper is not None  # noqa: S101 - prepared for its status
    journal = keeper.journal
    if journal.phase is not Phase.DONE:
        raise RefusedError(
            f"the migration of {errand.short} is not finished, it is {journal.phase}",
            hint=f"{errand.order.again(errand.target, '--resume')}, or with --rollback",
        )
    source = None
    if journal.options.get("keep_source"):
        source = fetch(errand.run(), Paths(errand.target.namespace, journal).source)
    if source is not None and uid_of(source) != journal.source.uid:
        source = None
    if source is not None and "part" in journal.options:
        source = None
    if source is not None and dig(source, ("spec", "replicas"), 1):
        raise RefusedError(
            f"{errand.short} has been scaled up again since it was migrated",
            hint=f"scale it to 0, or give the pods back: {errand.order.again(errand.target, '--rollback')}",
        )
    return Left(errand, keeper, source)


def _delete(left: Left) -> None:
    session, target = left.errand.session, left.errand.target
    if left.source is not None:
        delete_source(left.errand.run(), left.keeper)
        session.say(f"{target.display} deleted")
    left.keeper.remove()
    session.say(f"{target.display} cleaned up")

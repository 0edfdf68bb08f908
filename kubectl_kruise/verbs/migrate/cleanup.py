"""Delete what finished migrations have left."""

from typing import Annotated

import typer

from kubectl_kruise.cli.migrating.cleaning import clean_up
from kubectl_kruise.cli.migrating.options import Migrating, Overrides, Pace, Steering
from kubectl_kruise.cli.migrating.order import check_words, read_order
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.operations.migrate.journal.storing import Place


def cleanup(
    ctx: typer.Context,
    which: Selection,
    journal: Annotated[
        Place, typer.Option("--journal", help="Where the journals are; file: on this machine alone.")
    ] = Place.CONFIGMAP,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
) -> int:
    """Delete what finished migrations have left.

    That is their journals, without which nothing can be rolled back any more, and sources that were kept at 0 pods
    (--keep-source). A migration that is not finished is refused: go on with it, or roll it back.

    Examples:
      kubectl kruise migrate cleanup deployment/web
      kubectl kruise migrate cleanup --all
    """
    session: Session = ctx.obj
    check_words(which.words or [])
    order = read_order(Migrating(yes=yes), Steering(journal=journal), Pace(), Overrides())
    return clean_up(session, which, order)

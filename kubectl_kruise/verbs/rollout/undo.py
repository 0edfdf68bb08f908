"""Go back to an earlier revision."""

from typing import Annotated

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Decision
from kubectl_kruise.engine.changes.undo import Undo, plan_undo
from kubectl_kruise.engine.revisions.listing import live_revision, pick_revision
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.revisions import fetch_history


def undo(
    ctx: typer.Context,
    which: Selection,
    how: Writing,
    to_revision: Annotated[
        str,
        typer.Option(
            "--to-revision",
            metavar="REVISION",
            help="Where to go: a number, a name or a hash; -1 is the one before the present, -2 before that.",
            show_default="the previous one",
        ),
    ] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume a paused workload in the same write.")
    ] = False,
    keep_partition: Annotated[
        bool, typer.Option("--keep-partition", help="Leave a partition as it is instead of setting it to 0.")
    ] = False,
) -> None:
    """Go back to an earlier revision.

    The pod template becomes exactly that of the revision: what was added since is gone, too. Nothing else changes, but
    for a partition that would hold back pods of the revision left behind: it is set to 0 in the same write. A StatefulSet
    that keeps its lowest ordinals keeps its partition, too.

    Examples:
      # Back to the previous revision
      kubectl kruise rollout undo cloneset/web
      # To revision 3, after a look at what that does
      kubectl kruise rollout undo cloneset/web --to-revision 3 --dry-run
    """
    session: Session = ctx.obj
    asked = Undo(to_revision.strip(), resume, keep_partition)
    meant: dict[Target, str] = {}

    def plan(target: Target, live: Raw) -> Decision:
        workload = Workload(live, target.kind)
        revisions = fetch_history(session.cluster, workload)
        if target not in meant:
            # "The previous one" is meant as of the first look: after a race with another undo it is the bad one.
            picked = pick_revision(workload, revisions, live_revision(workload, revisions), asked.revision)
            meant[target] = picked.name
        return plan_undo(workload, revisions, asked._replace(revision=meant[target]))

    write(session, session.targets(which, ROLLED_OUT), plan, how, doing="undo")

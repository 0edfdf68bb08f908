"""Move a workload to its Kruise twin, or back."""

import typer

from kubectl_kruise.cli.migrating.one import KINDS, migrate_one
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session


def migrate(ctx: typer.Context, which: Selection, how: Migrating) -> None:
    """Move a workload to its Kruise twin, or back.

    A Deployment hands its running pods over to a CloneSet, and a CloneSet to a Deployment: no pod is deleted, created
    or restarted. What was begun is noted in the cluster, so that the same command goes on after any interruption, and
    --rollback undoes it from any point.

    Examples:
      # Look first: the checks, the steps, the fields
      kubectl kruise migrate deployment/web --dry-run
      # Hand the pods over
      kubectl kruise migrate deployment/web --yes
      # And back
      kubectl kruise migrate cloneset/web --to deployment --yes
    """
    session: Session = ctx.obj
    for target in session.targets(which, KINDS):
        migrate_one(session, target, how)

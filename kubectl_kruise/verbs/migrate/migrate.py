"""Move a workload to its Kruise twin, or back."""

import typer

from kubectl_kruise.cli.migrating.export import export_files, export_live
from kubectl_kruise.cli.migrating.one import KINDS, migrate_one
from kubectl_kruise.cli.migrating.options import Migrating
from kubectl_kruise.cli.options import DryRunMode, Selection
from kubectl_kruise.cli.session import Session


def migrate(ctx: typer.Context, which: Selection, how: Migrating) -> None:
    """Move a workload to its Kruise twin, or back.

    A Deployment hands its running pods over to a CloneSet, and a CloneSet to a Deployment: no pod is deleted, created
    or restarted. What was begun is noted in the cluster, so that the same command goes on after any interruption, and
    --rollback undoes it from any point.

    Examples:
      # Look first: the checks, the steps, the fields
      kubectl kruise migrate deployment/web --dry-run
      # Only convert a manifest, without a cluster
      kubectl kruise migrate -f web.yaml --dry-run=client > cloneset.yaml
      # Hand the pods over
      kubectl kruise migrate deployment/web --yes
      # And back
      kubectl kruise migrate cloneset/web --to deployment --yes
    """
    session: Session = ctx.obj
    if how.dry_run is DryRunMode.CLIENT:
        if which.filename:
            export_files(session, which.filename, how, recursive=which.recursive)
        else:
            export_live(session, session.targets(which, KINDS), how)
        return
    for target in session.targets(which, KINDS):
        migrate_one(session, target, how)

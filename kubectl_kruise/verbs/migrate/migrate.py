"""Move a workload to its Kruise twin, or back."""

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.migrating.official import is_official, translate
from kubectl_kruise.cli.migrating.options import Act, Migrating, Official, Overrides, Pace, Steering
from kubectl_kruise.cli.migrating.order import KINDS, Order, check_words, read_order
from kubectl_kruise.cli.options import DryRunMode, Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.migration.journal import Mode


def migrate(
    ctx: typer.Context,
    which: Selection,
    how: Migrating,
    steering: Steering,
    pace: Pace,
    overlooked: Overrides,
    official: Official,
) -> int | None:
    """Move a workload to its Kruise twin, or back.

    A Deployment hands its running pods over to a CloneSet, a StatefulSet to an Advanced StatefulSet (asts), and both
    get them back: no pod is deleted, created or restarted, and volume claims stay. What was begun is noted in the cluster, so that the same command goes on after any interruption, and
    --rollback undoes it from any point. Where pods cannot be handed over, --mode surge moves a Deployment to new ones a
    few at a time, and --mode handover a StatefulSet one ordinal at a time, each pod with its claims.

    Examples:
      # Look first: the checks, the steps, every request
      kubectl kruise migrate deployment/web --dry-run
      # Only convert a manifest, without a cluster
      kubectl kruise migrate -f web.yaml --dry-run=client > cloneset.yaml
      # Hand the pods over, and let autoscalers follow
      kubectl kruise migrate deployment/web --rewrite-refs=all --yes
      # New pods instead, two at a time
      kubectl kruise migrate deployment/web --mode surge --max-surge 2
      # How far is it, go on, or undo it
      kubectl kruise migrate deployment/web --status
      kubectl kruise migrate deployment/web --resume
      kubectl kruise migrate deployment/web --rollback --yes
      # Back again
      kubectl kruise migrate cloneset/web --to deployment --yes
      # The same with the pods and volume claims of a StatefulSet
      kubectl kruise migrate statefulset/db --yes
      kubectl kruise migrate asts/db --to statefulset --yes
      # In the middle of its rollout, or with another template: each pod made anew, one at a time
      kubectl kruise migrate statefulset/db --mode handover --yes
    """
    session: Session = ctx.obj
    if official.create and how.mode is Mode.ADOPT:
        how = how._replace(mode=Mode.SURGE)  # what only creates pods of its own is no adoption
    words = which.words or []
    plugin = is_official(words, official)
    order = read_order(how, steering, pace, overlooked, official=plugin)
    check_words(words)
    if how.dry_run is DryRunMode.CLIENT:
        _export(session, which, how)
        return None
    if plugin:
        target, order = translate(session, words, official, order)
        targets = [target]
    else:
        targets = _chosen(session, which, order)
    if order.act is Act.STATUS:
        from kubectl_kruise.cli.migrating.status import show_status

        return show_status(session, targets, order)
    from kubectl_kruise.cli.migrating.many import migrate_all

    return migrate_all(session, targets, order)


def _export(session: Session, which: Selection, how: Migrating) -> None:
    """Print converted manifests, of files or of what is live."""
    from kubectl_kruise.cli.migrating.export import export_files, export_live

    if which.filename:
        export_files(session, which.filename, how, recursive=which.recursive)
    else:
        export_live(session, session.targets(which, KINDS), how)


def _chosen(session: Session, which: Selection, order: Order) -> list[Target]:
    """Give the workloads that are meant; what has been begun is found by its journals, too."""
    unnamed = which.selector or which.every or not (which.words or which.filename)
    if order.act is Act.START or not unnamed:
        return session.targets(which, KINDS)
    from kubectl_kruise.cli.migrating.begun import begun_targets

    return begun_targets(session, which, order)

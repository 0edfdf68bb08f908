"""Remove the custom resource definitions of Kruise."""

from typing import Annotated

import typer

from kubectl_kruise.cli.options import DryRunMode
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import SUFFIX
from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.errors import ConflictError
from kubectl_kruise.facts.kinds import CRD
from kubectl_kruise.operations.install.apply import apply_step, read_uninstall_steps
from kubectl_kruise.operations.install.choice import parse_crd_kinds
from kubectl_kruise.operations.install.plan import Action


def crds(
    ctx: typer.Context,
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="[KIND]...", help="Kinds, e.g. cloneset.")
    ] = None,
    dry_run: Annotated[
        DryRunMode,
        typer.Option("--dry-run", help="Only try: nothing is removed. Without a value: server."),
    ] = DryRunMode.NONE,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
) -> None:
    """Remove the custom resource definitions of Kruise.

    Refused while objects of these kinds exist, since they and their pods would go with them. What Helm or a running
    manager owns is left alone.

    Examples:
      # See what would go
      kubectl kruise uninstall crds --dry-run
    """
    session: Session = ctx.obj
    chosen = parse_crd_kinds(kinds or [])
    steps = read_uninstall_steps(session.cluster, chosen, session.clock.time())
    doomed = [step for step in steps if step.action is Action.DELETE]
    if doomed and dry_run is DryRunMode.NONE:
        session.confirm(f"uninstall {len(doomed)} custom resource definitions", yes=yes)
    for step in steps:
        try:
            apply_step(session.cluster, step, dry_run=DryRun(dry_run.value))
        except ConflictError as race:
            raise ConflictError(
                f"{step.kind.resource} changed while it was looked at; nothing more was removed",
                cause=race.cause,
                hint="try again",
            ) from None
        session.say(f"{CRD.display}/{step.kind.resource} {step.action}{SUFFIX[dry_run]}")
        if step.why:
            session.note(f"{step.kind.resource} {step.action}: {step.why}")

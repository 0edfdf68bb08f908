"""Install the custom resource definitions of Kruise."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from kubectl_kruise.cli.options import DryRunMode, KruiseVersionOption
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import SUFFIX
from kubectl_kruise.cluster.port import DryRun
from kubectl_kruise.facts.crds.definitions import definition
from kubectl_kruise.facts.kinds import CRD
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.operations.install.apply import install
from kubectl_kruise.operations.install.choice import parse_crd_kinds
from kubectl_kruise.operations.install.plan import Action, Step
from kubectl_kruise.operations.install.waiting import wait_established
from kubectl_kruise.render.machine import check_format, render_documents

PREFIX = f"{CRD.display}/"


class Installing(NamedTuple):
    """Which definitions, and how they come."""

    kinds: Annotated[list[str] | None, typer.Argument(metavar="[KIND]...", help="Kinds, e.g. cloneset.")] = (
        None
    )
    kruise_version: KruiseVersionOption = Release.V1_9_0
    dry_run: Annotated[
        DryRunMode,
        typer.Option(
            "--dry-run",
            help="Only try: client asks no server, server lets it judge. Without a value: server.",
        ),
    ] = DryRunMode.NONE
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FORMAT", help="Print the definitions: yaml, json or name."),
    ] = ""
    timeout: Annotated[
        str,
        typer.Option(
            "--timeout", metavar="DURATION", help="Longest wait until they are served; 0 waits for ever."
        ),
    ] = "60s"


def crds(ctx: typer.Context, how: Installing) -> None:
    """Install the custom resource definitions of Kruise.

    Definitions with conversion strategy None: they work without a Kruise manager. What Helm or a running manager owns
    is left alone, and so is a definition that knows newer versions.

    StatefulSets are served as v1alpha1, too, as with a manager: reading so hides what only v1beta1 can say, and writing so
    erases it.

    Of main, CloneSets are served as v1beta1 only, since no webhook converts them; where CloneSets are stored as
    v1alpha1 their definition is kept.

    Examples:
      # Install all of them and wait until they are served
      kubectl kruise install crds
      # Write one to a file, without a cluster
      kubectl kruise install crds cloneset --dry-run=client -o yaml
      # Those of the main branch
      kubectl kruise install crds --kruise-version main
    """
    session: Session = ctx.obj
    check_format(how.output)
    kinds = parse_crd_kinds(how.kinds or [])
    longest = parse_timeout(how.timeout, "--timeout")
    if how.dry_run is DryRunMode.CLIENT and how.output:
        definitions = [definition(kind, how.kruise_version) for kind in kinds]
        session.show(render_documents(definitions, how.output, prefix=PREFIX))
        return
    dry_run = DryRun(how.dry_run.value)
    steps = install(session.cluster, kinds, session.clock, how.kruise_version, dry_run=dry_run)
    _tell(session, steps, how)
    if how.dry_run is DryRunMode.NONE:
        wait_established(session.cluster, kinds, session.clock, longest)


def _tell(session: Session, steps: Sequence[Step], how: Installing) -> None:
    """Show the definitions where they were asked for, else say what became of each; reasons go to stderr."""
    if how.output:
        left = [step.live if step.action is Action.KEPT and step.live else step.wanted for step in steps]
        session.show(render_documents(left, how.output, prefix=PREFIX))
    for step in steps:
        if not how.output:
            session.say(f"{PREFIX}{step.kind.resource} {step.action}{SUFFIX[how.dry_run]}")
        if step.why:
            session.note(f"{step.kind.resource} {step.action}: {step.why}")

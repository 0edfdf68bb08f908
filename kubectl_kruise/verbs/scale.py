"""Change the number of pods, or delete chosen ones."""

from typing import Annotated, NamedTuple

import typer

from kubectl_kruise.cli.chosen import delete_pods, replace_pods
from kubectl_kruise.cli.finding.pods import hpa_warnings
from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Change, Decision
from kubectl_kruise.engine.changes.scaling import (
    check_current,
    check_replicas,
    parse_pod_names,
    plan_replicas,
)
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import PARTITIONED, ROLLED_OUT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload


class Sizing(NamedTuple):
    """How many pods, or which ones fewer."""

    replicas: Annotated[
        int | None,
        typer.Option("--replicas", metavar="N", help="How many pods there shall be.", show_default=False),
    ] = None
    current: Annotated[
        int | None,
        typer.Option(
            "--current-replicas", metavar="N", help="Refuse unless it has this many.", show_default=False
        ),
    ] = None
    delete_pod: Annotated[
        list[str] | None,
        typer.Option(
            "--delete-pod",
            metavar="NAME|ORDINAL",
            help="Delete this pod and shrink by one; repeatable, or NAME,NAME.",
            show_default=False,
        ),
    ] = None
    replace: Annotated[
        bool, typer.Option("--replace", help="With --delete-pod: keep the number, let new pods come.")
    ] = False


def scale(ctx: typer.Context, which: Selection, sizing: Sizing, how: Writing) -> None:
    """Change the number of pods, or delete chosen ones.

    With --delete-pod the workload shrinks and the pods named are those that go, in one write. An Advanced StatefulSet
    gets their ordinals reserved for this, unless they are its last; pods may be named by their ordinal alone. With
    --replace they are replaced instead, as far as maxUnavailable allows at a time; those of an Advanced StatefulSet
    come back under their names.

    Examples:
      # Five pods
      kubectl kruise scale cloneset/web --replicas 5
      # Two fewer, and these two
      kubectl kruise scale cloneset/web --delete-pod web-x1d2f,web-7k2hq
      # A new pod for a broken one
      kubectl kruise scale cloneset/web --delete-pod web-x1d2f --replace
      # One pod out of the middle of a set, while the others keep their names
      kubectl kruise scale asts/db --delete-pod 1
    """
    session: Session = ctx.obj
    if (sizing.replicas is None) == (sizing.delete_pod is None):
        raise UsageError("say either --replicas N or --delete-pod NAME")
    if sizing.delete_pod is not None:
        names = parse_pod_names(sizing.delete_pod)
        act = replace_pods if sizing.replace else delete_pods
        act(session, session.targets(which, PARTITIONED), names, how, current=sizing.current)
        return
    if sizing.replace:
        raise UsageError("--replace belongs to --delete-pod")
    wanted = check_replicas(sizing.replicas or 0)

    def plan(target: Target, live: Raw) -> Decision:
        workload = Workload(live, target.kind)
        check_current(workload, sizing.current)
        decision = plan_replicas(workload, wanted)
        if isinstance(decision, Change):
            return decision._replace(warnings=(*decision.warnings, *hpa_warnings(session, target)))
        return decision

    write(session, session.targets(which, ROLLED_OUT), plan, how, doing="scale")

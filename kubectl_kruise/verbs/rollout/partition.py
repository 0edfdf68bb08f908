"""Set how many pods stay on the old revision."""

from typing import Annotated

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Decision
from kubectl_kruise.engine.changes.partitioning import parse_partition, parse_step, plan_partition
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import PARTITIONED
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload

By = Annotated[
    str, typer.Option("--by", metavar="STEP", help="Move it: +2, -2, +10%, -10%.", show_default=False)
]


def partition(ctx: typer.Context, which: Selection, how: Writing, by: By = "") -> None:
    """Set how many pods stay on the old revision.

    The partition is the number or the share of pods that are kept: 0 updates all pods, 100% none. It is the last
    word of the command, or a step with --by. That of an Advanced StatefulSet is a number of pods, those of the lowest
    ordinals unless its update is unordered; a share is turned into one.

    Examples:
      # Update 40 % of the pods
      kubectl kruise rollout partition cloneset/web 60%
      # Let ten more pods be updated
      kubectl kruise rollout partition cloneset/web --by -10
    """
    session: Session = ctx.obj
    words = list(which.words or [])
    if not by and (not words or "/" in words[-1]):
        raise UsageError("no partition given", hint="a number, a percentage, or --by STEP")
    wanted = parse_step(by) if by else parse_partition(words.pop())
    targets = session.targets(which._replace(words=words), PARTITIONED)

    def plan(target: Target, live: Raw) -> Decision:
        return plan_partition(Workload(live, target.kind), wanted)

    write(session, targets, plan, how, doing="partition")

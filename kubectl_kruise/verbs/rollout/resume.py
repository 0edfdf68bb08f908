"""Let a paused rollout go on."""

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Decision
from kubectl_kruise.engine.changes.pausing import plan_pause
from kubectl_kruise.facts.kinds import PAUSABLE
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload


def resume(ctx: typer.Context, which: Selection, how: Writing) -> None:
    """Let a paused rollout go on.

    Examples:
      # Go on with the rollout of a CloneSet, and wait for its end
      kubectl kruise rollout resume cloneset/web --wait --timeout 10m
    """
    session: Session = ctx.obj

    def plan(target: Target, live: Raw) -> Decision:
        return plan_pause(Workload(live, target.kind), paused=False)

    write(session, session.targets(which, PAUSABLE), plan, how, doing="resume")

"""Stop a rollout where it stands."""

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


def pause(ctx: typer.Context, which: Selection, how: Writing) -> None:
    """Stop a rollout where it stands.

    Pods that were updated stay updated. A CloneSet or an Advanced StatefulSet goes on creating, replacing and deleting
    pods while it is paused: only updates and surge stop, and of a set the replacement of chosen pods.

    Examples:
      # Stop the rollout of a CloneSet
      kubectl kruise rollout pause cloneset/web
      # Stop every rollout of a team
      kubectl kruise rollout pause clonesets -l team=shop
    """
    session: Session = ctx.obj

    def plan(target: Target, live: Raw) -> Decision:
        return plan_pause(Workload(live, target.kind), paused=True)

    write(session, session.targets(which, PAUSABLE), plan, how, doing="pause", pausing=True)

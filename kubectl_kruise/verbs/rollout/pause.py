"""Stop a rollout where it stands."""

import typer

from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.pausing import plan_pause
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT


def pause(ctx: typer.Context, which: Selection, how: Writing) -> None:
    """Stop a rollout where it stands.

    Pods that were updated stay updated. A CloneSet goes on creating, replacing and deleting pods while it is
    paused: only updates and surge stop.

    Examples:
      # Stop the rollout of a CloneSet
      kubectl kruise rollout pause cloneset/web
      # Stop every rollout of a team
      kubectl kruise rollout pause clonesets -l team=shop
    """
    session: Session = ctx.obj
    targets = session.targets(which, (CLONESET, DEPLOYMENT))
    write(
        session, targets, lambda target, live: plan_pause(live, session.layout(target, live), paused=True), how,
        doing="pause",
    )  # fmt: skip

"""Let a paused rollout go on."""

import typer

from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.pausing import plan_pause
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT


def resume(ctx: typer.Context, which: Selection, how: Writing) -> None:
    """Let a paused rollout go on.

    Examples:
      # Go on with the rollout of a CloneSet, and wait for its end
      kubectl kruise rollout resume cloneset/web --wait --timeout 10m
    """
    session: Session = ctx.obj
    targets = session.targets(which, (CLONESET, DEPLOYMENT))
    write(
        session, targets, lambda target, live: plan_pause(live, session.layout(target, live), paused=False), how,
        doing="resume",
    )  # fmt: skip

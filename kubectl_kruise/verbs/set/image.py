"""Change the images of containers."""

import typer

from kubectl_kruise.cli.finding.targets import Target
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.cli.writing import write
from kubectl_kruise.engine.changes.change import Decision
from kubectl_kruise.engine.changes.images import parse_images, plan_images
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload


def image(ctx: typer.Context, which: Selection, how: Writing) -> None:
    """Change the images of containers.

    Words of the form CONTAINER=IMAGE name the images, all others the objects; *=IMAGE means every container, init
    containers included. Says whether the pods are updated in place or recreated.

    Examples:
      # One container
      kubectl kruise set image cloneset/web app=shop/web:1.9.0
      # Two containers, only as a trial
      kubectl kruise set image cloneset/web app=shop/web:1.9.0 proxy=envoy:1.31 --dry-run
    """
    session: Session = ctx.obj
    words = which.words or []
    images = parse_images([word for word in words if "=" in word])
    targets = session.targets(which._replace(words=[word for word in words if "=" not in word]), ROLLED_OUT)

    def plan(target: Target, live: Raw) -> Decision:
        return plan_images(Workload(live, target.kind), images)

    write(session, targets, plan, how, doing="set the image of")

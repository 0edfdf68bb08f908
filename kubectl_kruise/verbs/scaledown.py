"""Shrink a workload by deleting the pods named, in the spelling of the official plugin."""

from typing import Annotated

import typer

from kubectl_kruise.cli.chosen import delete_pods
from kubectl_kruise.cli.options import Selection, Writing
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.changes.scaling import parse_pod_names
from kubectl_kruise.facts.kinds import PARTITIONED

Pods = Annotated[
    list[str], typer.Option("--pods", metavar="NAME", help="Pods to delete; repeatable, or NAME,NAME.")
]


def scaledown(ctx: typer.Context, which: Selection, how: Writing, pods: Pods) -> None:
    """Shrink a workload by deleting the pods named.

    The same as scale --delete-pod, but without looking for a HorizontalPodAutoscaler.

    Examples:
      # Two fewer, and these two
      kubectl kruise scaledown cloneset/web --pods web-x1d2f,web-7k2hq
    """
    session: Session = ctx.obj
    words, names = list(which.words or []), list(pods)
    if names[-1].rstrip().endswith(","):
        # `--pods a, b`: the blank after the comma made a word of what is a pod too (cli.md B18).
        slashed = [word for word in words if "/" in word]
        objects = slashed or words[:2]
        names += [word for word in words if word not in objects]
        words = objects
    targets = session.targets(which._replace(words=words), PARTITIONED)
    delete_pods(session, targets, parse_pod_names(names), how, look_for_hpa=False)

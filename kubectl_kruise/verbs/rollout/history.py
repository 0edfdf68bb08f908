"""List the revisions of a workload."""

from typing import Annotated, Final, NamedTuple

import typer

from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.rollouts.histories import (
    pick_entry,
    selected_pods,
    show_difference,
    show_history,
    show_names,
)
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.revisions.timeline import build_timeline
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import ROLLED_OUT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.revisions import fetch_history
from kubectl_kruise.render.machine import check_format, render_object
from kubectl_kruise.views.history.record import history_record, revision_record

ALL: Final = ("", "0")
"""No revision in particular; kubectl's 0 means the same."""


class Asked(NamedTuple):
    """Which of the history, and in which form."""

    revision: Annotated[
        str,
        typer.Option(
            "--revision",
            metavar="REVISION",
            help="Show one revision with its template: a number, a name, a hash, or -1 for the previous one.",
            show_default=False,
        ),
    ] = ""
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help="Compare two revisions, by default the previous one with the present one."
        ),
    ] = False
    full: Annotated[bool, typer.Option("--full", help="With -o json or yaml: templates, too.")] = False
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print json, yaml, name or jsonpath=….",
            show_default=False,
        ),
    ] = ""


def history(ctx: typer.Context, which: Selection, asked: Asked) -> None:
    """List the revisions of a workload.

    Shows how many pods run each revision, which one is rolled out (update) and which one was (current), and what each
    one changed. In a pipe, --diff prints a unified diff.

    Examples:
      # All revisions of a CloneSet
      kubectl kruise rollout history cloneset/web
      # One of them with its template
      kubectl kruise rollout history cloneset/web --revision 3
      # What changed from revision 3 to revision 4
      kubectl kruise rollout history cloneset/web --diff 3 4
    """
    session: Session = ctx.obj
    check_format(asked.output)
    words = which.words or []
    compared = [word for word in words if asked.diff and word.lstrip("-").isdigit()]
    if len(compared) > 2 or (asked.diff and asked.output):
        raise UsageError("--diff takes at most two revisions, and no -o")
    which = which._replace(words=[word for word in words if word not in compared])
    targets = session.targets(which, ROLLED_OUT)
    workloads = [Workload(session.fetch(target), target.kind) for target in targets]
    documents: list[Raw] = []
    for workload in workloads:
        revisions = fetch_history(session.cluster, workload)
        if asked.diff:
            show_difference(session, workload, revisions, compared)
            continue
        entries = build_timeline(workload, revisions, selected_pods(session, workload))
        chosen = (
            pick_entry(workload, revisions, entries, asked.revision) if asked.revision not in ALL else None
        )
        if asked.output == "name":
            show_names(session, workload, [chosen] if chosen else entries)
        elif asked.output:
            documents.append(
                revision_record(workload, chosen)
                if chosen
                else history_record(workload, entries, full=asked.full)
            )
        else:
            show_history(session, workload, entries, chosen, last=workload is workloads[-1])
    if documents:
        several = {"apiVersion": "v1", "kind": "List", "items": documents}
        session.show(render_object(documents[0] if len(documents) == 1 else several, asked.output, name=""))

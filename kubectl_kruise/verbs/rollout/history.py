"""List the revisions of a workload."""

import difflib
import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.revisions.delta import template_deltas
from kubectl_kruise.engine.revisions.listing import (
    Revision,
    comparable_template,
    history_kind,
    live_revision,
    pick_revision,
)
from kubectl_kruise.engine.revisions.timeline import Entry, build_timeline
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.rollout.revisions import fetch_history
from kubectl_kruise.render.machine import check_format, render_object, to_yaml
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color, wants_live, wants_unicode
from kubectl_kruise.views.history.comparison import comparison_view, heading
from kubectl_kruise.views.history.record import history_record, revision_record
from kubectl_kruise.views.history.table import history_view, revision_view
from kubectl_kruise.views.spans import Line
from kubectl_kruise.views.text import symbols

ALL: Final = ("", "0")
"""No revision in particular; kubectl's 0 means the same."""


def history(
    ctx: typer.Context,
    which: Selection,
    revision: Annotated[
        str,
        typer.Option(
            "--revision",
            metavar="REVISION",
            help="Show one revision with its template: a number, a name, a hash, or -1 for the previous one.",
            show_default=False,
        ),
    ] = "",
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help="Compare two revisions, by default the previous one with the present one."
        ),
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="With -o json or yaml: templates, too.")] = False,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print json, yaml, name or jsonpath=….",
            show_default=False,
        ),
    ] = "",
) -> None:
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
    check_format(output)
    words = which.words or []
    compared = [word for word in words if diff and word.lstrip("-").isdigit()]
    if len(compared) > 2 or (diff and output):
        raise UsageError("--diff takes at most two revisions, and no -o")
    which = which._replace(words=[word for word in words if word not in compared])
    targets = session.targets(which, (CLONESET, DEPLOYMENT))
    workloads = [Workload(session.fetch(target), target.kind) for target in targets]
    documents: list[Raw] = []
    for workload in workloads:
        revisions = fetch_history(session.cluster, workload)
        if diff:
            _show_difference(session, workload, revisions, compared)
            continue
        entries = build_timeline(workload, revisions, _pods(session, workload))
        chosen = _chosen(workload, revisions, entries, revision) if revision not in ALL else None
        if output == "name":
            _show_names(session, workload, [chosen] if chosen else entries)
        elif output:
            documents.append(
                revision_record(workload, chosen) if chosen else history_record(workload, entries, full=full)
            )
        else:
            _show(session, workload, entries, chosen, last=workload is workloads[-1])
    if documents:
        several = {"apiVersion": "v1", "kind": "List", "items": documents}
        session.show(render_object(documents[0] if len(documents) == 1 else several, output, name=""))


def _pods(session: Session, workload: Workload) -> list[Raw]:
    """Give the pods of the selector; those of a Deployment are counted by its ReplicaSets."""
    if workload.kind.native:
        return []
    listed = session.cluster.list(POD.path(workload.namespace), labels=workload.selector)
    return listed.get("items") or []


def _chosen(
    workload: Workload, revisions: Sequence[Revision], entries: Sequence[Entry], wanted: str
) -> Entry:
    picked = pick_revision(workload, revisions, live_revision(workload, revisions), wanted)
    return next(entry for entry in entries if entry.revision is picked)


def _show(
    session: Session, workload: Workload, entries: Sequence[Entry], chosen: Entry | None, *, last: bool
) -> None:
    signs = symbols(unicode=wants_unicode(sys.stdout))
    now = session.clock.time()
    if chosen is None:
        _paint(session, history_view(workload, entries, now, signs))
    else:
        _paint(session, revision_view(workload, chosen, now, signs))
        session.show("\n" + to_yaml({"template": chosen.revision.template}))
    if not last:
        session.show("\n")


def _show_difference(
    session: Session, workload: Workload, revisions: Sequence[Revision], compared: Sequence[str]
) -> None:
    live = live_revision(workload, revisions)
    before = pick_revision(workload, revisions, live, compared[0] if compared else "")
    after = live or revisions[-1]
    if len(compared) > 1:
        after = pick_revision(workload, revisions, live, compared[1])
    now = session.clock.time()
    templates = [comparable_template(workload, each.template) for each in (before, after)]
    if wants_live(sys.stdout):
        deltas = template_deltas(*templates)
        _paint(session, comparison_view(before, after, deltas, now))
        return
    old, new = (to_yaml({"template": template}).splitlines(keepends=True) for template in templates)
    session.show("".join(difflib.unified_diff(old, new, heading(before, now), heading(after, now))))


def _show_names(session: Session, workload: Workload, entries: Sequence[Entry]) -> None:
    for entry in entries:
        session.show(f"{history_kind(workload).display}/{entry.revision.name}\n")


def _paint(session: Session, lines: Sequence[Line]) -> None:
    session.show(paint(lines, color=wants_color(sys.stdout, session.flags.color)))

"""Print the revisions of workloads for people: the table, one revision in full, two revisions compared."""

import difflib
import sys
from collections.abc import Sequence

from kubectl_kruise.cli.session import Session
from kubectl_kruise.engine.revisions.delta import template_deltas
from kubectl_kruise.engine.revisions.listing import (
    Revision,
    comparable_template,
    history_kind,
    live_revision,
    pick_revision,
)
from kubectl_kruise.engine.revisions.timeline import Entry
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.secrets import hide_private, private_values
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import to_yaml
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color, wants_live, wants_unicode
from kubectl_kruise.views.history.comparison import comparison_view, heading
from kubectl_kruise.views.history.table import history_view, revision_view
from kubectl_kruise.views.spans import Line
from kubectl_kruise.views.text import symbols


def selected_pods(session: Session, workload: Workload) -> list[Raw]:
    """Give the pods of the selector; those of a Deployment are counted by its ReplicaSets."""
    if workload.kind is DEPLOYMENT:
        return []
    listed = session.cluster.list(POD.path(workload.namespace), labels=workload.selector)
    return listed.get("items") or []


def pick_entry(
    workload: Workload, revisions: Sequence[Revision], entries: Sequence[Entry], wanted: str
) -> Entry:
    """Give the entry of the revision meant; NotFoundError where there is none."""
    picked = pick_revision(workload, revisions, live_revision(workload, revisions), wanted)
    return next(entry for entry in entries if entry.revision is picked)


def show_history(
    session: Session, workload: Workload, entries: Sequence[Entry], chosen: Entry | None, *, last: bool
) -> None:
    """Print the table of all revisions, or the chosen one with its template; a blank line between two workloads."""
    signs = symbols(unicode=wants_unicode(sys.stdout))
    now = session.clock.time()
    if chosen is None:
        _paint(session, history_view(workload, entries, now, signs))
    else:
        _paint(session, revision_view(workload, chosen, now, signs))
        session.show("\n" + to_yaml({"template": chosen.revision.template}))
    if not last:
        session.show("\n")


def show_difference(
    session: Session, workload: Workload, revisions: Sequence[Revision], compared: Sequence[str]
) -> None:
    """Print what changed between two revisions, by default from the previous to the present one.

    Field by field on a terminal, as a unified diff of the templates elsewhere. Raises NotFoundError where one is
    missing.
    """
    live = live_revision(workload, revisions)
    before = pick_revision(workload, revisions, live, compared[0] if compared else "")
    after = live or revisions[-1]
    if len(compared) > 1:
        after = pick_revision(workload, revisions, live, compared[1])
    now = session.clock.time()
    old, new = (comparable_template(workload, each.template) for each in (before, after))
    if wants_live(sys.stdout):
        deltas = template_deltas(old, new)
        _paint(session, comparison_view(before, after, deltas, now))
        return
    shown = (hide_private(old), hide_private(new, private_values(old)))
    one, other = (to_yaml({"template": template}).splitlines(keepends=True) for template in shown)
    text = "".join(difflib.unified_diff(one, other, heading(before, now), heading(after, now)))
    session.show(text)
    if not text:
        session.note(f"no difference between {before.title} and {after.title}")


def show_names(session: Session, workload: Workload, entries: Sequence[Entry]) -> None:
    """Print the objects that hold the revisions, as kubectl names them."""
    for entry in entries:
        session.show(f"{history_kind(workload).display}/{entry.revision.name}\n")


def _paint(session: Session, lines: Sequence[Line]) -> None:
    session.show(paint(lines, color=wants_color(sys.stdout, session.flags.color)))

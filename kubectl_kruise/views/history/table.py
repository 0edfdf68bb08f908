"""`rollout history` for people: one row per revision, and one revision in full."""

from collections.abc import Sequence

from kubectl_kruise.engine.revisions.timeline import Entry
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, short_age
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.views.history.wording import change_text
from kubectl_kruise.views.spans import BUSY, FAINT, GOOD, STRONG, Line, Span, columns
from kubectl_kruise.views.text import Symbols

HEADERS = ("REV", "NAME", "AGE", "PODS", "MARK", "CHANGE", "CAUSE")
_RIGHT = (3,)


def history_view(workload: Workload, entries: Sequence[Entry], now: float, signs: Symbols) -> list[Line]:
    """Give the table of a workload's revisions, the newest first."""
    title = (Span(f"{workload.kind.called} {workload.namespace}/{workload.name}", STRONG),)
    if not entries:
        return [title, (Span("no revisions yet"),)]
    rows = [tuple(Span(header, FAINT) for header in HEADERS), *(_row(entry, now, signs) for entry in entries)]
    return [title, *columns(rows, right=_RIGHT, gap=3)]


def revision_view(workload: Workload, entry: Entry, now: float, signs: Symbols) -> list[Line]:
    """Give what is known of one revision, above its template."""
    revision = entry.revision
    title = f"{workload.kind.called} {workload.namespace}/{workload.name}, {revision.title}"
    created = f"{revision.created} ({_age(entry, now)} ago)" if revision.created else "unknown"
    rows = [
        ("created", created),
        ("pods", str(entry.pods)),
        ("marks", ", ".join(entry.marks) or signs.dash),
        ("cause", revision.cause or signs.dash),
        ("change", change_text(entry, signs)),
    ]
    lines: list[Line] = [(Span(title, STRONG),)]
    lines += columns([(Span(f"  {name}", FAINT), Span(text)) for name, text in rows])
    for delta in entry.deltas or []:
        before, after = delta.values(signs.dash)
        lines.append((Span(f"    {delta.location}  {before} {signs.arrow} {after}"),))
    return lines


def _row(entry: Entry, now: float, signs: Symbols) -> tuple[Span, ...]:
    revision = entry.revision
    style = BUSY if entry.marks == ("update",) else GOOD if entry.marks else ""
    return (
        Span(str(revision.number)),
        Span(revision.name),
        Span(_age(entry, now)),
        Span(str(entry.pods)),
        Span(", ".join(entry.marks), style),
        Span(change_text(entry, signs)),
        Span(revision.cause or signs.dash),
    )


def _age(entry: Entry, now: float) -> str:
    created = parse_rfc3339(entry.revision.created)
    return "unknown" if created is None else short_age(max(0.0, now - created))

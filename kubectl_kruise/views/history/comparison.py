"""Two revisions side by side, field by field (cli.md §4.5)."""

from collections.abc import Iterator, Sequence

from kubectl_kruise.engine.revisions.delta import Delta
from kubectl_kruise.engine.revisions.listing import Revision
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, short_age
from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, Line, Span


def heading(revision: Revision, now: float) -> str:
    """Give what stands behind --- and +++: `web-6c9f (revision 3, 6d ago)`."""
    created = parse_rfc3339(revision.created)
    age = "" if created is None else f", {short_age(max(0.0, now - created))} ago"
    return f"{revision.name} (revision {revision.number}{age})"


def comparison_view(before: Revision, after: Revision, deltas: Sequence[Delta], now: float) -> list[Line]:
    """Give the fields that differ, grouped by container, and how many of them force pods to be recreated."""
    lines: list[Line] = [
        (Span(f"--- {heading(before, now)}", BAD),),
        (Span(f"+++ {heading(after, now)}", GOOD),),
    ]
    group = ""
    for delta in deltas:
        parent, field = _split(delta)
        if parent != group:
            lines.append((Span(f"  {parent}", FAINT),))
            group = parent
        lines += _sides(delta, field)
    stuck = sum(not delta.in_place for delta in deltas)
    fields = f"{len(deltas)} field{'' if len(deltas) == 1 else 's'} changed"
    return [*lines, (Span(f"  {fields}, {stuck} cannot be done in place" if deltas else "  no difference"),)]


def _split(delta: Delta) -> tuple[str, str]:
    """Part a location into the group it is shown under and the rest: `spec.containers[app]`, `image`."""
    if delta.container and len(delta.path) > 3:
        head = f"{delta.path[1]}[{delta.container}]"
        return head, delta.location.removeprefix(f"spec.{head}.")
    return delta.path[0], delta.location.removeprefix(f"{delta.path[0]}.")


def _sides(delta: Delta, field: str) -> Iterator[Line]:
    before, after = delta.values("")
    mark = () if delta.in_place else (Span("   # forces recreate", BUSY),)
    if delta.before is not None:
        yield (
            Span(f"-   {field}: {before}", BAD),
            *(() if delta.after is not None else mark),
        )
    if delta.after is not None:
        yield (Span(f"+   {field}: {after}", GOOD), *mark)

"""How far a migration is, as a line for logs and as a screen (cli.md §4.3)."""

from typing import NamedTuple

from kubectl_kruise.engine.migration.stages import Counts
from kubectl_kruise.views.spans import BUSY, FAINT, STRONG, Line, Span
from kubectl_kruise.views.text import clock_span

_BAR = 20


class Moment(NamedTuple):
    """One moment of one migration: `step` of `steps`, counts where there are any, the fewest ready pods so far.

    `old` and `new` name the workloads; `news` is what was told last; times are in seconds.
    """

    namespace: str
    name: str
    step: int
    steps: int
    what: str
    old: str
    new: str
    counts: Counts | None
    lowest: int | None
    news: str = ""
    elapsed: float = 0.0
    left: float | None = None
    """Seconds that the pods still to be moved may take, None where too few have been moved to tell."""


def progress_line(moment: Moment, time: str) -> str:
    """Give a line for logs: `… migrate/web step=2/4 moved=6/12 ready=12 min-ready=12`."""
    text = f"{time} migrate/{moment.name} step={moment.step}/{moment.steps}"
    if moment.counts is not None:
        moved, total, ready = moment.counts
        text += f" moved={moved}/{total} ready={ready}"
    return text + (f" min-ready={moment.lowest}" if moment.lowest is not None else "")


def progress_screen(moment: Moment, resume: str) -> list[Line]:
    """Give the screen of one migration under way; `resume` is the command to go on with."""
    head = f"migrate {moment.namespace}/{moment.name}   step {moment.step} of {moment.steps} {moment.what}"
    left = "" if moment.left is None else f", about {clock_span(moment.left)} left"
    lines: list[Line] = [
        (Span(f"{head:<72}", STRONG), Span(f"   elapsed {clock_span(moment.elapsed)}{left}", FAINT))
    ]
    if moment.counts is not None:
        moved, total, ready = moment.counts
        width = max(len(moment.old), len(moment.new))
        lines.append(
            (
                Span(f"  {moment.old:<{width}}  "),
                Span(_bar(total - moved, total), BUSY),
                Span(f"  {total} → {total - moved}"),
            )
        )
        lines.append(
            (Span(f"  {moment.new:<{width}}  "), Span(_bar(moved, total), BUSY), Span(f"  0 → {moved}"))
        )
        low = "" if moment.lowest is None else f" (low point {moment.lowest})"
        lines.append((Span(f"  ready: {ready}, wanted {total}{low}"),))
    if moment.news:
        lines.append((Span(f"  {moment.news}", FAINT),))
    lines.append((Span(f"Ctrl-C stops after the present request; resume: {resume}", FAINT),))
    return lines


def _bar(count: int, total: int) -> str:
    full = round(_BAR * count / total) if total else 0
    return f"[{'#' * full}{'-' * (_BAR - full)}]"

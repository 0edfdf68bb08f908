"""How a migration ended, honestly counted: pods kept, lost and restarted, how long they had no owner (cli.md §4.3)."""

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise.objects.notation.number import format_duration


class Pods(NamedTuple):
    """What became of the pods of the start; names of those that did not stay as they were.

    `ownerless` are seconds, one per pod that this run moved; `lowest` is the fewest ready pods, None where unknown.
    """

    kept: int = 0
    lost: Sequence[str] = ()
    restarted: Sequence[str] = ()
    ownerless: Sequence[float] = ()
    lowest: int | None = None


class Row(NamedTuple):
    """One workload of several; `message` is "" where all went well."""

    namespace: str
    source: str
    target: str
    outcome: str
    pods: Pods
    seconds: float
    message: str = ""


HEADER = ("NAMESPACE", "SOURCE", "TARGET", "OUTCOME", "PODS KEPT", "LOWEST READY", "TOOK", "MESSAGE")


def report_lines(pods: Pods, *, adopted: bool) -> list[str]:
    """Say what became of the pods; `adopted` says whether they were to stay."""
    lines = []
    if adopted:
        lines.append(f"{pods.kept} pods kept, {len(pods.lost)} lost, {len(pods.restarted)} restarted")
    if pods.lost and adopted:
        lines.append(f"deleted by somebody else meanwhile, and made anew: {', '.join(pods.lost)}")
    if pods.restarted:
        lines.append(f"with a container that restarted by itself: {', '.join(pods.restarted)}")
    if pods.ownerless:
        ordered = sorted(pods.ownerless)
        median, most = ordered[len(ordered) // 2], ordered[-1]
        lines.append(f"without owner for {seconds_text(median)} (median), {seconds_text(most)} at most")
    if pods.lowest is not None:
        lines.append(f"lowest number of ready pods: {pods.lowest}")
    return lines


def table_lines(rows: Sequence[Row]) -> list[str]:
    """Give a table with one row per workload."""
    cells = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(HEADER))]
    return [
        "   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def seconds_text(seconds: float) -> str:
    """Write a duration with tenths below ten seconds."""
    return f"{seconds:.1f}s" if seconds < 9.95 else format_duration(seconds)


def _cells(row: Row) -> tuple[str, ...]:
    lowest = "-" if row.pods.lowest is None else str(row.pods.lowest)
    return (
        row.namespace, row.source, row.target or "-", row.outcome, str(row.pods.kept), lowest,
        seconds_text(row.seconds), row.message,
    )  # fmt: skip

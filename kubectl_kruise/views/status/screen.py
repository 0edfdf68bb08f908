"""`rollout status` on a terminal: header, bar, counts, and a row for each pod that is not done (cli.md §4.1)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.engine.phases import Phase
from kubectl_kruise.engine.statefulset.places import kept_pods
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, STATEFULSET
from kubectl_kruise.objects.notation.number import format_duration
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.views.spans import (
    BAD,
    BUSY,
    FAINT,
    GOOD,
    STRONG,
    Line,
    Span,
    clip_line,
    shell_lines,
    wrap_line,
)
from kubectl_kruise.views.status.advice import advice
from kubectl_kruise.views.status.rows import pod_rows
from kubectl_kruise.views.text import Symbols, clock_span, image_change, short_image

BAR: Final = 48
SHORTEST_BAR: Final = 8
WAYS: Final = {
    "InPlaceIfPossible": "in place (InPlaceIfPossible)", "InPlaceOnly": "in place (InPlaceOnly)",
    "ReCreate": "recreate", "OnDelete": "on delete", "RollingUpdate": "rolling update", "Recreate": "recreate",
}  # fmt: skip
SPACE: Final = "   "
FRAME_LINES: Final = 14
"""Lines of a frame that are no pod rows, where nothing is wrapped."""
TABLE_LINES: Final = 4
"""Lines of the table that are no pod rows: its head, the count of the rest, the blank below, one for the cursor."""


def status_screen(
    snapshots: Sequence[Snapshot], signs: Symbols, *, width: int, height: int = 40
) -> list[Line]:
    """Give one frame: whole for one object, a short block each for several."""
    if len(snapshots) == 1:
        lines = _whole(snapshots[0], signs, height, width)
    else:
        share = max(1, (height - 2) // max(1, len(snapshots)) - 3)
        lines = [line for snapshot in snapshots for line in _block(snapshot, signs, share, width)]
    return [clip_line(line, width, signs.more) for line in lines]


def end_lines(snapshot: Snapshot, signs: Symbols, width: int) -> list[Line]:
    """Give what stays on the screen when the rollout has its verdict."""
    verdict = snapshot.verdict
    sign, style = {
        Outcome.DONE: (signs.good, GOOD), Outcome.PAUSED: (signs.warn, BUSY), Outcome.HELD: (signs.warn, BUSY),
        Outcome.PROGRESSING: (signs.warn, BUSY),
    }.get(verdict.outcome, (signs.bad, BAD))  # fmt: skip
    spent = snapshot.now - snapshot.started
    message = verdict.message
    if verdict.outcome is Outcome.DONE and spent >= 1:
        head, semicolon, rest = message.partition(";")
        message = f"{head} in {format_duration(spent)}{semicolon}{rest}"
    lines = wrap_line((Span(f"{sign} ", style), Span(f"{_title(snapshot)}: {message}")), width)
    lines += _advice(snapshot, width)
    return lines


def _whole(snapshot: Snapshot, signs: Symbols, height: int, width: int) -> list[Line]:
    lines = [*_header(snapshot, signs, width), ()]
    lines += [_bar(snapshot, signs, width), ()]
    if counted := _counts(snapshot):
        lines += [*wrap_line(counted, width, ""), ()]
    if snapshot.verdict.final:
        foot = end_lines(snapshot, signs, width)
    else:
        foot = [*_silence(snapshot, width), *_troubles(snapshot, width)]
    # What is wrapped takes its lines from the table, lest the end of the frame be cut.
    taken = max(FRAME_LINES, len(lines) + len(foot) + TABLE_LINES)
    if table := pod_rows(snapshot, signs, max(3, height - taken)):
        lines += [*table, ()]
    lines += foot
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _block(snapshot: Snapshot, signs: Symbols, rows: int, width: int) -> list[Line]:
    if snapshot.verdict.final:
        return [*end_lines(snapshot, signs, width), ()]
    head: Line = (Span(_title(snapshot), STRONG), Span(f"  {snapshot.verdict.message}", FAINT))
    body = [_bar(snapshot, signs, width), *pod_rows(snapshot, signs, rows), *_silence(snapshot, width)]
    return [head, *body, ()]


def _header(snapshot: Snapshot, signs: Symbols, width: int) -> list[Line]:
    workload = snapshot.workload
    way = WAYS.get(workload.update_type, workload.update_type)
    context = f"context {snapshot.context}" if snapshot.context else ""
    title = _title(snapshot).ljust(38)
    gap = " " * max(2, width - len(title) - len(way) - len(context) - 1)
    lines: list[Line] = [
        (Span(title, STRONG), Span(f" {way}"), Span(gap + context if context else "", FAINT))
    ]
    revision = _revision(snapshot, signs)
    observed = f"generation {workload.generation}, "
    observed += "observed" if workload.observed else f"observed {workload.observed_generation or 'none'}"
    lines.append(
        (Span(f"revision  {revision}".ljust(40) + "  "), Span(observed, "" if workload.observed else BUSY))
    )
    lines += [(Span(f"image     {change}"),) for change in _images(snapshot, signs)]
    counts = snapshot.counts
    target = f"{counts.target} of {counts.desired} pods"
    if workload.partition:
        kept = kept_pods(workload, workload.partition)
        target += f" (partition {workload.partition_value}{f': {kept}' if kept else ''})"
    limits = [f"at most {workload.max_unavailable} unavailable"]
    if workload.kind in (STATEFULSET, NATIVE_STATEFULSET):
        limits += ["one by one"] if workload.one_by_one else []
        limits += [] if workload.ordered else ["unordered"]
    else:
        limits.append(f"surge {workload.max_surge}")
    if workload.grace_seconds:
        limits.append(f"grace {workload.grace_seconds}s")
    if workload.min_ready_seconds:
        limits.append(f"ready for {workload.min_ready_seconds}s")
    lines.append((Span(f"target    {target}".ljust(40) + "  "), Span(", ".join(limits))))
    return lines


def _revision(snapshot: Snapshot, signs: Symbols) -> str:
    def named(revision: str) -> str:
        number = snapshot.numbers.get(revision)
        return revision if number is None else f"{revision} ({number})"

    update, current = snapshot.revision, snapshot.came_from
    if not update:
        return signs.dash
    return named(update) if current in ("", update) else f"{named(current)} {signs.arrow} {named(update)}"


def _images(snapshot: Snapshot, signs: Symbols) -> list[str]:
    old, arrow = snapshot.old_images, f" {signs.arrow} "
    changed = [
        f"{name}  {_full_change(old[name], image, arrow)}"
        for name, image in snapshot.workload.images.items()
        if name in old and old[name] != image
    ]
    return changed[:4]


def _full_change(before: str, after: str, arrow: str) -> str:
    tags = image_change(before, after, arrow)
    name = short_image(after).partition(":")[0]
    folder = after[: after.rfind(name)] if name in after else ""
    return tags if ":" in tags else f"{folder}{name}:{tags}"


def _bar(snapshot: Snapshot, signs: Symbols, width: int) -> Line:
    counts = snapshot.counts
    share = min(1.0, counts.updated_available / counts.target) if counts.target else 1.0
    spent = clock_span(snapshot.now - snapshot.started)
    left = f", about {clock_span(snapshot.estimate.seconds)} left" if snapshot.estimate else ""
    numbers, times = f"  {counts.updated_available} of {counts.target} available", f"       {spent}{left}"
    # The bar gives way before the numbers do.
    size = max(SHORTEST_BAR, min(BAR, width - len(f"[]{numbers}{times}")))
    filled = int(share * size)
    return (
        Span("["), Span(signs.full * filled, GOOD), Span(signs.empty * (size - filled), FAINT), Span("]"),
        Span(numbers), Span(times, FAINT),
    )  # fmt: skip


def _counts(snapshot: Snapshot) -> Line:
    counts, found = snapshot.counts, []
    if counts.held and snapshot.workload.partition:
        found.append(Span(f"held by partition {counts.held}"))
    elif counts.held:
        found.append(Span(f"old {counts.held}"))
    for phase, count in snapshot.phases.items():
        bad = phase in (Phase.FAILING, Phase.UNSCHEDULABLE)
        found.append(Span(f"{phase} {count}", BAD if bad else GOOD if phase == Phase.AVAILABLE else ""))
    spaced = [piece for span in found for piece in (span, Span(SPACE))]
    return tuple(spaced[:-1])


def _silence(snapshot: Snapshot, width: int) -> list[Line]:
    if not snapshot.silence:
        return []
    spent = clock_span(snapshot.now - snapshot.silent_since)
    text = f"! no news for {spent}: {snapshot.silence}; trying again"
    return wrap_line((Span(text, BAD),), width)


def _troubles(snapshot: Snapshot, width: int) -> list[Line]:
    lines: list[Line] = []
    workload, verdict = snapshot.workload, snapshot.verdict
    if verdict.reason != "WaitingForPods":
        lines.append((Span(verdict.message, FAINT),))
    if snapshot.held_by:
        lines += wrap_line((Span(f"! {snapshot.held_by}.", BUSY),), width)
    if snapshot.troubles:
        worst = snapshot.troubles[0]
        spent = clock_span(snapshot.now - worst.since)
        pods = len({trouble.problem.pod for trouble in snapshot.troubles})
        who = f"{worst.problem.pod} has" if pods == 1 else f"{worst.problem.pod} and {pods - 1} more have"
        uses = f"{'It uses' if pods == 1 else 'They use'} {pods} of the {workload.max_unavailable} unavailable places"
        then = (
            "the rollout goes on" if pods < workload.max_unavailable else "no other pod is updated meanwhile"
        )
        lines += wrap_line((Span(f"! {who} failed for {spent}. {uses}; {then}.", BAD),), width)
        lines += _advice(snapshot, width)
    return lines


def _advice(snapshot: Snapshot, width: int) -> list[Line]:
    return [
        line
        for label, command in advice(snapshot)
        for line in shell_lines(f"  {label}: ", command, width, FAINT)
    ]


def _title(snapshot: Snapshot) -> str:
    workload = snapshot.workload
    return f"{workload.kind.called} {workload.namespace}/{workload.name}"

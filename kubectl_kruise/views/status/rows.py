"""The pods of a rollout as table rows: phase, containers, since when, and what they wait for (cli.md §4.1)."""

from typing import Final

from kubectl_kruise.engine.containers import ContainerProgress, Step
from kubectl_kruise.engine.phases import Phase, PodProgress, grace_left
from kubectl_kruise.operations.rollout.snapshot import Snapshot
from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, Line, Span, columns
from kubectl_kruise.views.text import Symbols, clip, clock_span, image_change, image_tag, short_image

CONTAINERS_WIDTH: Final = 36
STYLES: Final = {
    Phase.FAILING: BAD, Phase.UNSCHEDULABLE: BAD, Phase.AVAILABLE: GOOD, Phase.RESTARTING: BUSY, Phase.BATCH: BUSY,
    Phase.STARTING: BUSY, Phase.RESIZING: BUSY, Phase.SETTLING: BUSY, Phase.GRACE: BUSY,
}  # fmt: skip
HEADERS: Final = ("POD", "NODE", "PHASE", "CONTAINERS", "SINCE", "NOTE")


def pod_rows(snapshot: Snapshot, signs: Symbols, most: int | None = None) -> list[Line]:
    """Give the table of the snapshot's pods, at most `most` rows and a line for the rest; [] without pods."""
    shown = list(snapshot.pods if most is None else snapshot.pods[:most])
    if not shown:
        return []
    cells = [tuple(Span(title, FAINT) for title in HEADERS), *(_row(pod, snapshot, signs) for pod in shown)]
    lines = columns(cells, right=(4,))
    if (rest := max(snapshot.unfinished, len(snapshot.pods)) - len(shown)) > 0:
        lines.append((Span(f"{signs.more} {rest} more", FAINT),))
    return lines


def phase_text(pod: PodProgress, now: float, signs: Symbols) -> str:
    """Write the phase as a word, with its count or countdown."""
    match pod.phase:
        case Phase.FAILING | Phase.UNSCHEDULABLE:
            return f"{signs.bad} {pod.phase}"
        case Phase.GRACE:
            return f"grace {grace_left(pod, now)}s/{pod.detail}s"
        case Phase.BATCH:
            return f"batch {pod.detail}"
        case _:
            return pod.phase.value


def note_text(pod: PodProgress, now: float) -> str:
    """Write what the pod waits for."""
    if pod.phase is Phase.SETTLING and pod.ends is not None:
        return f"{max(0, round(pod.ends - now))}s to minReadySeconds"
    if pod.note == "pulling" and pod.ends is not None:
        return f"pulling for {clock_span(now - pod.ends)}"
    return " ".join(pod.note.split())


def container_text(container: ContainerProgress, signs: Symbols) -> str:
    """Write what one container is doing."""
    change = _change(container, signs)
    match container.step:
        case Step.FAILING:
            return f"{container.name} {container.reason}" + (
                f" ({container.crashes})" if container.crashes else ""
            )
        case Step.DONE:
            return f"{container.name} {change} ready" if change else f"{container.name} ready"
        case Step.KEPT | Step.NEXT | Step.PLANNED:
            return f"{container.name} {container.step}"
        case _:
            return " ".join(part for part in (container.name, change, container.step.value) if part)


def _row(pod: PodProgress, snapshot: Snapshot, signs: Symbols) -> tuple[Span, ...]:
    now = snapshot.now
    texts = [container_text(container, signs) for container in pod.containers]
    if len("   ".join(texts)) > CONTAINERS_WIDTH:
        # What is not touched goes first where there is no room for all.
        kept = [each.step is Step.KEPT for each in pod.containers]
        texts = [text for text, untouched in zip(texts, kept, strict=True) if not untouched] or texts
    containers = "   ".join(texts)
    since = signs.dash if pod.since is None else clock_span(now - pod.since)
    style = STYLES.get(pod.phase, "")
    return (
        Span(pod.name), Span(pod.node or signs.dash), Span(phase_text(pod, now, signs), style),
        Span(clip(containers, CONTAINERS_WIDTH, signs.more)), Span(since), Span(note_text(pod, now)),
    )  # fmt: skip


def _change(container: ContainerProgress, signs: Symbols) -> str:
    if container.before:
        return image_change(container.before, container.image, signs.arrow)
    return image_tag(container.image) or short_image(container.image)

"""`get`: native and Kruise workloads side by side (cli.md §4.6)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from kubectl_kruise.engine.overview import Overview, overview
from kubectl_kruise.engine.verdict import Outcome
from kubectl_kruise.errors import ServerError
from kubectl_kruise.facts.kinds import DAEMONSET, STATEFULSET
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, short_age
from kubectl_kruise.objects.raw import labels_of, metadata
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, Line, Span, columns
from kubectl_kruise.views.text import short_image

STYLES: Final = {
    Outcome.DONE: GOOD, Outcome.PROGRESSING: BUSY, Outcome.PAUSED: BUSY, Outcome.HELD: BUSY, Outcome.FAILED: BAD,
    Outcome.DELETED: FAINT,
}  # fmt: skip
TWINS: Final = (STATEFULSET, DAEMONSET)
"""Kruise kinds whose name is that of a native kind: shown by their short name."""


class Columns(NamedTuple):
    """Which columns beside the usual ones; `labels` are keys."""

    namespace: bool = False
    wide: bool = False
    labels: tuple[str, ...] = ()


def get_table(
    workloads: Sequence[Workload],
    wanted: Columns,
    now: float,
    *,
    headers: bool = True,
    causes: Mapping[str, str] = MappingProxyType({}),
) -> list[Line]:
    """Give the table of workloads, a row each; [] without any. `causes` tell by uid why rollouts are not done."""
    if not workloads:
        return []
    rows = [_row(workload, wanted, now, causes.get(workload.uid, "")) for workload in workloads]
    if headers:
        rows.insert(0, tuple(Span(title, FAINT) for title in get_headers(wanted)))
    return columns(rows)


def get_headers(wanted: Columns) -> tuple[str, ...]:
    return (
        *(("NAMESPACE",) if wanted.namespace else ()),
        *("NAME", "KIND", "STATUS", "READY", "UPDATED", "IMAGES", "AGE"),
        *(("REVISION", "CONTAINERS", "SELECTOR") if wanted.wide else ()),
        *(key.rpartition("/")[2].upper() for key in wanted.labels),
    )


def _row(workload: Workload, wanted: Columns, now: float, cause: str) -> tuple[Span, ...]:
    summed = overview(workload)
    held = f" ({summed.held} held)" if summed.held else ""
    images = workload.images
    created = parse_rfc3339(metadata(workload.raw).get("creationTimestamp"))
    cells = [Span(workload.namespace)] if wanted.namespace else []
    cells += [
        Span(workload.name), Span(kind_word(workload)), Span(_status(summed, cause), _style(summed)),
        Span(f"{summed.ready}/{summed.desired}"), Span(f"{summed.updated}{held}"),
        Span(",".join(images.values() if wanted.wide else map(short_image, images.values())) or "<none>"),
        Span("<unknown>" if created is None else short_age(max(0.0, now - created))),
    ]  # fmt: skip
    if wanted.wide:
        cells += [Span(_revision(workload)), Span(",".join(images) or "<none>"), Span(_selector(workload))]
    own = labels_of(workload.raw)
    return (*cells, *(Span(own.get(key, "")) for key in wanted.labels))


def kind_word(workload: Workload) -> str:
    return workload.kind.short_names[0] if workload.kind in TWINS else workload.kind.kind


def _status(summed: Overview, cause: str) -> str:
    return f"{summed.status}, {cause}" if cause and not summed.refused else summed.status


def _style(summed: Overview) -> str:
    return STYLES.get(summed.outcome, "")


def _revision(workload: Workload) -> str:
    return workload.update_revision or "<none>"


def _selector(workload: Workload) -> str:
    try:
        return workload.selector or "<none>"
    except ServerError:  # one odd object must not hide the others
        return "<unreadable>"

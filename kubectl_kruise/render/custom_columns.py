"""`-o custom-columns=NAME:.metadata.name,…` as kubectl prints it."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.render.jsonpath import find


class Column(NamedTuple):
    header: str
    path: str


def parse_columns(text: str) -> list[Column]:
    """Read the part behind `custom-columns=`; UsageError for a column without a path."""
    found = []
    for part in text.split(","):
        header, colon, path = part.partition(":")
        if not colon or not header or not path:
            raise UsageError(f'custom-columns: "{part}" is not HEADER:PATH', hint="e.g. NAME:.metadata.name")
        found.append(Column(header, path.strip("{}")))
    return found


def render_columns(objects: Sequence[Raw], wanted: Sequence[Column], *, headers: bool = True) -> str:
    """Give a table of what stands at each path; several values are joined, none is `<none>`."""
    rows = [[_cell(find(column.path, raw, raw)) for column in wanted] for raw in objects]
    if headers:
        rows.insert(0, [column.header for column in wanted])
    if not rows:
        return ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )


def _cell(values: Sequence[object]) -> str:
    shown = [value if isinstance(value, str) else json.dumps(value) for value in values if value is not None]
    return ",".join(shown) or "<none>"

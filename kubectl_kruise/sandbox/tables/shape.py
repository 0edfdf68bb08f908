"""What a table is: columns, and the cells of one object."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from kubectl_kruise.objects.raw import Raw

Cells = Callable[[Raw, datetime], list[Any]]


class TableShape(NamedTuple):
    """`columns` are the columnDefinitions; `cells` gives a row, the object's age counted to `now`."""

    columns: list[Raw]
    cells: Cells


def column(name: str, kind: str = "string", *, wide: bool = False, description: str = "") -> Raw:
    """Declare a column; a wide one shows only with `-o wide`."""
    return {
        "name": name, "type": kind, "format": "name" if name == "Name" else "", "description": description,
        "priority": int(wide),
    }  # fmt: skip

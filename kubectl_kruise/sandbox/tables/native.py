"""Tables of the native kinds (sandbox-apiserver.md TB4)."""

from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.sandbox.tables.pods import pod_cells
from kubectl_kruise.sandbox.tables.rows import ROWS, created
from kubectl_kruise.sandbox.tables.shape import TableShape, columns

_PODS: Final = "Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*"
_OTHERS: Final = columns("Name, Created At:d")


def native_table(api_version: str, kind: str) -> TableShape:
    """Give the table of a native kind; name and time of creation for those without columns of their own."""
    if (api_version, kind) == ("v1", "Pod"):
        return TableShape(columns(_PODS), pod_cells)
    found = ROWS.get(kind)
    if found is None:
        return TableShape(_OTHERS, _plain)
    return TableShape(columns(found[0]), found[1])


def _plain(obj: Raw, _: datetime) -> list[Any]:
    return [name_of(obj), dig(obj, created)]

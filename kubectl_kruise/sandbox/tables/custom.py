"""Tables of custom kinds, by the printer columns of their CRD (sandbox-apiserver.md TB5)."""

from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import compact
from kubectl_kruise.objects.notation.jsonpath import find
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.tables.ages import age
from kubectl_kruise.sandbox.tables.shape import TableShape, column

_DEFAULT: Final[list[Raw]] = [{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]


def custom_table(crd: Raw, version: str) -> TableShape:
    """Give the table of one version of a CRD; without columns of its own: name and age."""
    entry: Raw = next((found for found in crd["spec"]["versions"] if found["name"] == version), {})
    declared: list[Raw] = entry.get("additionalPrinterColumns") or _DEFAULT
    shown = [column("Name"), *(_column(one) for one in declared)]

    def cells(obj: Raw, now: datetime) -> list[Any]:
        return [name_of(obj), *(_cell(_value(one["jsonPath"], obj), one["type"], now) for one in declared)]

    return TableShape(shown, cells)


def _value(path: str, obj: Raw) -> Any:
    """Give the first value at a path; a path that cannot be read leads nowhere."""
    try:
        return next(iter(find(path, obj)), None)
    except ValueError:
        return None


def _column(declared: Raw) -> Raw:
    words = declared.get("description") or (
        f"Custom resource definition column (in JSONPath format): {declared['jsonPath']}"
    )
    return {
        "name": declared["name"], "type": declared["type"], "format": declared.get("format") or "",
        "description": words, "priority": declared.get("priority") or 0,
    }  # fmt: skip


def _cell(value: Any, kind: str, now: datetime) -> Any:
    """Give a value as its column shows it: None where it does not have the column's type."""
    match kind:
        case "string":
            return None if value is None else value if isinstance(value, str) else compact(value)
        case "date":
            return age(value, now) if isinstance(value, str) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "integer" | "number" if isinstance(value, int | float) and not isinstance(value, bool):
            return int(value) if kind == "integer" else value
    return None

"""A patched object as messages show it: what the patch touched with its keys in order, the rest as Go writes it (P6)."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import compact
from kubectl_kruise.objects.raw import Raw

_METADATA: Final = (
    "name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
    "managedFields",
)  # fmt: skip
"""The fields of ObjectMeta in the order of the Go type."""
_MAPS: Final = ("labels", "annotations", "data", "binaryData", "stringData", "fieldsV1")


def patched_text(result: Any, before: Raw, *, custom: bool) -> str:
    """Give the text of a patched object; `before` is what the patch was applied to."""
    return compact(_sorted(result) if custom else _touched(result, before))


def _touched(value: Any, before: Any) -> Any:
    if value == before:
        return _as_go(value)
    if isinstance(value, dict):
        held = before if isinstance(before, dict) else {}
        return {key: _touched(value[key], held.get(key)) for key in sorted(value)}
    if isinstance(value, list):
        items = before if isinstance(before, list) and len(before) == len(value) else [None] * len(value)
        return [_touched(one, other) for one, other in zip(value, items, strict=True)]
    return value


def _as_go(value: Any) -> Any:
    """Put metadata in the order of its type and maps in that of their keys; other structs stay as they came."""
    if isinstance(value, list):
        return [_as_go(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if "resourceVersion" in value and "uid" in value:
        value = {key: value[key] for key in (*_METADATA, *value) if key in value}
    return {key: _sorted(inner) if key in _MAPS else _as_go(inner) for key, inner in value.items()}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value

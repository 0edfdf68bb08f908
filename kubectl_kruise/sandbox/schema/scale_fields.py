"""What the scale subresource needs of the fields it reads: complaints beside those of the schema (CR8)."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid
from kubectl_kruise.objects.raw import Raw

_MOST: Final = 2**31 - 1
_EXPONENT_FROM: Final = 1e21
"""Where Go begins to write whole numbers with an exponent."""
_GO_TYPES: Final = {
    str: "string", bool: "bool", float: "float64", list: "[]interface {}", dict: "map[string]interface {}",
}  # fmt: skip


def number_errors(path: str, obj: Raw) -> list[FieldError]:
    """Check the number of replicas at a path such as `.spec.replicas`, "" for none."""
    value, problem = _read(path, obj, int)
    if problem:
        return [invalid(path, 0, problem)]
    if value is None:
        return []
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    return [invalid(path, value, f"should be less than or equal to {_MOST}")] if value > _MOST else []


def text_errors(path: str, obj: Raw) -> list[FieldError]:
    """Check that the label selector at a path is text."""
    _, problem = _read(path, obj, str)
    return [invalid(path, "", problem)] if problem else []


def _read(path: str, obj: Raw, wanted: type) -> tuple[Any, str]:
    """Follow a path; gives the value and why it cannot be read."""
    value: Any = obj
    for step in path.split(".")[1:]:
        if not isinstance(value, dict):
            return (
                None,
                f"{path} accessor error: {_shown(value)} is of the type {_go(value)}, expected map[string]interface{{}}",
            )
        value = value.get(step)
        if value is None:
            return None, ""
    if not path or (isinstance(value, wanted) and not isinstance(value, bool)):
        return (value, "") if path else (None, "")
    expected = "int64" if wanted is int else "string"
    return None, f"{path} accessor error: {_shown(value)} is of the type {_go(value)}, expected {expected}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    plain = isinstance(value, float) and value.is_integer() and abs(value) < _EXPONENT_FROM
    return str(int(value)) if plain else str(value)


def _go(value: Any) -> str:
    return _GO_TYPES.get(type(value), "int64")

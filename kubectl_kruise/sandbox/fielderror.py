"""One complaint about one field, in the words of the API server (sandbox-apiserver.md X3, X4)."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple


class FieldError(NamedTuple):
    """`reason` is the cause's, `field` a path such as `spec.containers[0].name`, `message` what follows the path."""

    reason: str
    field: str
    message: str


def shown(value: Any) -> str:
    """Give a value as messages show it: compact JSON in the order of the object."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def required(field: str, detail: str = "") -> FieldError:
    return FieldError("FieldValueRequired", field, _with("Required value", detail))


def invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", field, _with(f"Invalid value: {shown(value)}", detail))


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueTypeInvalid", field, _with(f"Invalid value: {shown(value)}", detail))


def unsupported(field: str, value: Any, supported: Iterable[str]) -> FieldError:
    listed = ", ".join(shown(choice) for choice in supported)
    return FieldError(
        "FieldValueNotSupported", field, f"Unsupported value: {shown(value)}: supported values: {listed}"
    )


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}")


def forbidden(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueForbidden", field, _with("Forbidden", detail))


def too_long(field: str, limit: int) -> FieldError:
    return FieldError("FieldValueTooLong", field, f"Too long: may not be more than {limit} bytes")


def too_many(field: str, actual: int, limit: int) -> FieldError:
    return FieldError("FieldValueTooMany", field, f"Too many: {actual}: must have at most {limit} items")


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text

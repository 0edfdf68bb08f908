"""Complaints about single fields, in the API server's words (sandbox-apiserver.md X3, X4)."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw

_CONTROL: Final = re.compile(r"(?<!\\)\\u00([0-9a-f]{2})")
"""Text is quoted by Go, which writes control characters in another way than JSON does."""


class FieldError(NamedTuple):
    """One complaint: `reason` as in details.causes, `field` a path, `message` without the path."""

    reason: str
    field: str
    message: str

    @property
    def text(self) -> str:
        return f"{self.field}: {self.message}"


def summary(errors: Sequence[FieldError]) -> str:
    """Give what follows `… is invalid: `: one text, or several in brackets; equal texts stand once."""
    texts = list(dict.fromkeys(error.text for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def causes(errors: Sequence[FieldError]) -> list[Raw]:
    """Give the list for `details.causes`; equal causes are kept, as the real server does."""
    return [{"reason": error.reason, "message": error.message, "field": error.field} for error in errors]


def compact(value: Any) -> str:
    """Print a value as the server shows it in a message: compact JSON, text quoted."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return _CONTROL.sub(r"\\x\1", text) if isinstance(value, str) and "\\u00" in text else text


def required(field: str, detail: str = "") -> FieldError:
    return FieldError(
        "FieldValueRequired", field, f"Required value: {detail}" if detail else "Required value"
    )


def invalid(field: str, value: Any, detail: str) -> FieldError:
    shown = f"Invalid value: {compact(value)}"
    return FieldError("FieldValueInvalid", field, f"{shown}: {detail}" if detail else shown)


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueTypeInvalid", field, f"Invalid value: {compact(value)}: {detail}")


def not_supported(field: str, value: Any, supported: Iterable[Any]) -> FieldError:
    known = ", ".join(map(compact, supported))
    return FieldError(
        "FieldValueNotSupported", field, f"Unsupported value: {compact(value)}: supported values: {known}"
    )


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueDuplicate", field, f"Duplicate value: {compact(value)}")


def forbidden(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueForbidden", field, f"Forbidden: {detail}")


def not_found(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueNotFound", field, f"Not found: {compact(value)}")


def too_long(field: str, limit: int) -> FieldError:
    return FieldError("FieldValueTooLong", field, f"Too long: may not be more than {limit} bytes")


def too_many(field: str, count: int, limit: int) -> FieldError:
    return FieldError("FieldValueTooMany", field, f"Too many: {count}: must have at most {limit} items")

"""Checks on numbers, shares and choices that several kinds have in common."""

from collections.abc import Iterable
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid, not_supported
from kubectl_kruise.objects.raw import Raw

NOT_NEGATIVE: Final = "must be greater than or equal to 0"
IMMUTABLE: Final = "field is immutable"


def not_negative(holder: Raw, names: Iterable[str], at: str) -> list[FieldError]:
    """Check that the named integer fields of `holder` are not below zero."""
    return [
        invalid(f"{at}.{name}", holder[name], NOT_NEGATIVE)
        for name in names
        if isinstance(holder.get(name), int) and holder[name] < 0
    ]


def share(value: Any, field: str) -> list[FieldError]:
    """Check an int-or-percent."""
    if isinstance(value, int):
        return [invalid(field, value, NOT_NEGATIVE)] if value < 0 else []
    if isinstance(value, str) and not (value.endswith("%") and value[:-1].isdecimal() and value.isascii()):
        text = (
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex"
            " used for validation is '[0-9]+%')"
        )
        return [invalid(field, value, text)]
    return []


def at_most_all(value: Any, field: str) -> list[FieldError]:
    """Check that a percentage is not above 100."""
    percent = percentage(value)
    return (
        [invalid(field, value, "must not be greater than 100%")]
        if percent is not None and percent > 100
        else []
    )


def percentage(value: Any) -> int | None:
    digits = value[:-1] if isinstance(value, str) and value.endswith("%") else ""
    return int(digits) if digits.isdecimal() else None


def is_zero(value: Any) -> bool:
    return value == 0 or percentage(value) == 0


def one_of(holder: Raw, name: str, known: Iterable[str], at: str) -> list[FieldError]:
    """Check a choice; an absent one is no complaint."""
    value, known = holder.get(name), list(known)
    return [not_supported(f"{at}.{name}", value, known)] if value is not None and value not in known else []


def unchanged(new: Raw, old: Raw, name: str, at: str) -> list[FieldError]:
    value = new.get(name)
    return [invalid(f"{at}.{name}" if at else name, value, IMMUTABLE)] if value != old.get(name) else []

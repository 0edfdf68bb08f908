"""Counts and shares: int-or-percent values as the webhook and the controller read them (cloneset.md §6), durations.

The two readings differ on purpose: what the webhook lets through (`strict`) is not always what the controller can
read (`legacy`, fault Q4 of cloneset.md §26).
"""

import json
import math
import re
from typing import Final

from kubectl_kruise.errors import UsageError

IntOrPercent = int | str

UNLIMITED: Final = 2**31 - 1
DEFAULT_MAX_UNAVAILABLE: Final = "20%"

# Texts, compiled when first needed: few commands need them, and all of them read this module.
_FLOAT = r"(?ai)[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf(?:inity)?|nan"
_INTEGER = r"[+-]?[0-9]+"
_DURATION_PART = r"([0-9]+\.?[0-9]*|\.[0-9]+)(d|h|ms|m|s|us|µs|ns)"
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_LOWEST_INT64 = -(2**63)
_INT64_DIGITS = 19


def strict(value: IntOrPercent | None, total: int, *, up: bool = True) -> int:
    """Resolve `value` against `total`, rounding up or down (cloneset.md §6.1).

    An int stands for itself, whatever its sign. Raises ValueError in the webhook's words.
    """
    if value is None:
        raise ValueError("nil value for IntOrString")
    if isinstance(value, int):
        return value
    if not value.endswith("%"):
        raise ValueError("invalid type: string is not a percentage")
    return _round(_parse_float(value[:-1]) * total / 100, up=up)


def legacy(value: IntOrPercent | None, total: int, *, up: bool = True) -> int:
    """Resolve `value` against `total` as the controller does: "5" means 5 %, unreadable means 0 (cloneset.md §6.2)."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    digits = value.replace("%", "")
    if not re.fullmatch(_INTEGER, digits) or abs(int(digits)) >= 2**63:
        return 0
    return _round(float(int(digits)) * total / 100, up=up)


def partition(value: IntOrPercent | None, replicas: int | None) -> int:
    """Count the pods to keep old (cloneset.md §6.3). Raises ValueError where the value cannot be read."""
    if value is None:
        return 0
    total = 1 if replicas is None else replicas
    kept = strict(value, total)
    if total > 1 and kept == total and isinstance(value, str) and value != "100%":
        kept = total - 1  # any percentage short of the literal 100% updates at least one pod
    return max(0, min(kept, total))


def surge(value: IntOrPercent | None, replicas: int, *, paused: bool = False) -> int:
    """Count the pods that may exist beyond `replicas` (cloneset.md §6.4)."""
    return 0 if value is None or paused else legacy(value, replicas)


def unavailable(value: IntOrPercent | None, replicas: int, *, surge: int = 0) -> int:
    """Count the pods that may be unavailable: rounded down as soon as there is a surge (cloneset.md §6.4)."""
    return legacy(DEFAULT_MAX_UNAVAILABLE if value is None else value, replicas, up=surge == 0)


def scale_unavailable(value: IntOrPercent | None, replicas: int) -> int:
    """Count the pods that may be unavailable while scaling out; `UNLIMITED` where nothing is set (cloneset.md §6.4)."""
    return UNLIMITED if value is None else legacy(value, replicas)


def atoi(text: str) -> int:
    """Read a whole number of 64 bits. Raises ValueError in the words of Go's `strconv.Atoi`."""
    problem = f"strconv.Atoi: parsing {json.dumps(text, ensure_ascii=False)}"
    if not re.fullmatch(_INTEGER, text):
        raise ValueError(f"{problem}: invalid syntax")
    digits = text.lstrip("+-").lstrip("0") or "0"
    if (
        len(digits) <= _INT64_DIGITS
    ):  # counted first: text of thousands of digits is no number for Python either
        number = int(digits) * (-1 if text.startswith("-") else 1)
        if _LOWEST_INT64 <= number < -_LOWEST_INT64:
            return number
    raise ValueError(f"{problem}: value out of range")


def parse_int_or_percent(text: str) -> IntOrPercent:
    """Read what a user typed: `3`, `-1`, `25%`, `33.4%`. Raises ValueError with a sentence for the user."""
    text = text.strip()
    if re.fullmatch(_INTEGER, text) and -(2**31) <= int(text) < 2**31:
        return int(text)
    if text.endswith("%") and re.fullmatch(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)", text[:-1], re.ASCII):
        return text
    raise ValueError(f"{json.dumps(text)} is neither a whole number nor a percentage such as 25%")


def parse_duration(text: str) -> float:
    """Read a duration in seconds: `1m30s`, `300ms`, `1.5h`, `2d`; a bare number is seconds.

    Raises ValueError with a sentence for the user, also for negative ones.
    """
    text = text.strip()
    if text == "0":
        return 0.0  # the default of every time-out
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text, re.ASCII):
        return float(text)
    parts = re.findall(_DURATION_PART, text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{json.dumps(text)} is not a duration such as 30s, 5m or 1m30s")
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def parse_timeout(text: str, flag: str) -> float | None:
    """Read the value of a flag that bounds a wait, in seconds; None where 0 or "" means no bound.

    Raises UsageError that names the flag.
    """
    try:
        return parse_duration(text or "0") or None
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


def format_duration(seconds: float) -> str:
    """Write whole seconds as kubectl's users know them: `45s`, `1m30s`, `2h`; below one second `250ms`."""
    if 0 < seconds < 1:
        return f"{round(seconds * 1000)}ms"
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    parts = [f"{count}{unit}" for count, unit in ((hours, "h"), (minutes, "m"), (left, "s")) if count]
    return "".join(parts) or "0s"


def _parse_float(text: str) -> float:
    if not re.fullmatch(_FLOAT, text):
        raise ValueError(f"strconv.ParseFloat: parsing {json.dumps(text)}: invalid syntax")
    number = float(text)
    if math.isinf(number) and "inf" not in text.lower():
        raise ValueError(f"strconv.ParseFloat: parsing {json.dumps(text)}: value out of range")
    return number


def _round(number: float, *, up: bool) -> int:
    if (
        not -(2.0**63) <= number < 2.0**63
    ):  # also NaN: the conversion of the real thing gives the lowest integer
        return _LOWEST_INT64
    return math.ceil(number) if up else math.floor(number)

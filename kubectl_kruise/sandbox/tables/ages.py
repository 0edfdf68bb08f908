"""Ages in Go's short form (sandbox-apiserver.md TB3)."""

from datetime import datetime
from typing import Final

from kubectl_kruise.objects.timestamp import parse_rfc3339

UNKNOWN: Final = "<unknown>"
INVALID: Final = "<invalid>"


def age(timestamp: str | None, now: datetime) -> str:
    """Give the time since a timestamp; `<unknown>` for none."""
    if not timestamp:
        return UNKNOWN
    moment = parse_rfc3339(timestamp)
    return INVALID if moment is None else short(now.timestamp() - moment)


def short(seconds: float) -> str:
    """Write a span the way kubectl does: the larger it is, the coarser."""
    if seconds <= -2:
        return INVALID
    if seconds < 0:
        return "0s"
    whole = int(seconds)
    minutes, hours = whole // 60, whole // 3600
    days, years = hours // 24, hours // (24 * 365)
    if whole < 120:
        return f"{whole}s"
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if years < 2:
        return f"{days}d"
    return _two(years, "y", days % 365, "d") if years < 8 else f"{years}y"


def _two(large: int, unit: str, small: int, smaller: str) -> str:
    return f"{large}{unit}{small}{smaller}" if small else f"{large}{unit}"

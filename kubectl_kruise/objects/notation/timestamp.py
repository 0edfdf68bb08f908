"""Times and spans as Kubernetes writes them: RFC 3339 text to and from seconds since the epoch, and ages."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

INVALID_AGE: Final = "<invalid>"


def rfc3339(seconds: float) -> str:
    """Give `2026-11-30T10:41:08Z`, as metav1.Time prints: whole seconds, UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_rfc3339(text: str | None) -> float | None:
    """Give seconds since the epoch; None for an absent or unreadable time. Zone offsets and fractions are read."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def canonical_time(text: str, *, micro: bool = False) -> str:
    """Give the spelling in which a time is printed: UTC, whole seconds, or microseconds with `micro`.

    Remembered, because objects written together bear the same times. Raises ValueError in the words of Go's parser.
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None or "T" not in text:
            raise ValueError
    except ValueError:
        layout = "2006-01-02T15:04:05Z07:00"
        raise ValueError(f'parsing time "{text}" as "{layout}": cannot parse "{text}" as "2006"') from None
    whole = rfc3339(moment.timestamp())
    return f"{whole[:-1]}.{moment.microsecond:06d}Z" if micro else whole


def short_age(seconds: float) -> str:
    """Write an age as kubectl's tables do, the coarser the larger it is; `<invalid>` for one well in the future."""
    if seconds <= -2:
        return INVALID_AGE
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

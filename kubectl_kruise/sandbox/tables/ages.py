"""Ages in Go's short form (sandbox-apiserver.md TB3)."""

from datetime import datetime
from typing import Final

from kubectl_kruise.objects.notation.timestamp import INVALID_AGE, parse_rfc3339, short_age

UNKNOWN: Final = "<unknown>"


def age(timestamp: str | None, now: datetime) -> str:
    """Give the time since a timestamp; `<unknown>` for none."""
    if not timestamp:
        return UNKNOWN
    moment = parse_rfc3339(timestamp)
    return INVALID_AGE if moment is None else short_age(now.timestamp() - moment)

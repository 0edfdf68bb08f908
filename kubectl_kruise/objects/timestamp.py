"""Times as Kubernetes writes them: RFC 3339 text to and from seconds since the epoch."""

from datetime import UTC, datetime


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

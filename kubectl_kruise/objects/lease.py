"""Leases: who holds one right now."""

from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.raw import Raw, dig

DEFAULT_SECONDS = 15


def holder_of(lease: Raw | None, now: float) -> str:
    """Give the holder of a lease that was renewed within its duration, "" for one that is free or ran out."""
    spec = (lease or {}).get("spec") or {}
    renewed = parse_rfc3339(spec.get("renewTime") or spec.get("acquireTime"))
    if renewed is None or now > renewed + (dig(spec, ("leaseDurationSeconds",)) or DEFAULT_SECONDS):
        return ""
    return str(spec.get("holderIdentity") or "")

"""Status conditions of any object: a list of `{type, status, reason, message, lastTransitionTime}`."""

from kubectl_kruise.objects.raw import Raw


def condition(raw: Raw, kind: str) -> Raw | None:
    """Give the condition of type `kind`, None where the status has none."""
    conditions = (raw.get("status") or {}).get("conditions") or []
    return next((found for found in conditions if found.get("type") == kind), None)


def condition_true(raw: Raw, kind: str) -> bool:
    found = condition(raw, kind)
    return found is not None and found.get("status") == "True"

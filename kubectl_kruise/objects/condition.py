"""Status conditions of any object: a list of `{type, status, reason, message, lastTransitionTime}`."""

from collections.abc import Sequence

from kubectl_kruise.objects.raw import Raw


def condition(raw: Raw, kind: str) -> Raw | None:
    """Give the condition of type `kind`, None where the status has none."""
    conditions: Sequence[Raw] = (raw.get("status") or {}).get("conditions") or ()
    # A loop, for it is asked of every pod in every pass: a generator costs twice as much.
    for found in conditions:
        if found.get("type") == kind:
            return found
    return None


def with_condition(conditions: Sequence[Raw], entry: Raw, now: str) -> list[Raw]:
    """Give the list with one condition set; its lastTransitionTime moves with its status only."""
    held = {found["type"]: found for found in conditions}
    old = held.get(entry["type"], {})
    since = old.get("lastTransitionTime") if old.get("status") == entry["status"] else now
    held[entry["type"]] = {**entry, "lastTransitionTime": since}
    return list(held.values())


def condition_true(raw: Raw, kind: str) -> bool:
    found = condition(raw, kind)
    return found is not None and found.get("status") == "True"

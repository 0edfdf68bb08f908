"""Objects that must not be deleted by accident (cloneset.md §5.5, install.md §10); gate ResourcesDeletionProtection."""

from collections.abc import Callable, Iterable
from typing import Final

from kubectl_kruise.facts.names import DELETE_PROTECTION
from kubectl_kruise.objects.raw import Raw, deleting, labels_of

ALWAYS: Final = "Always"
CASCADING: Final = "Cascading"

Remains = Callable[[], Iterable[tuple[str, int]]]
"""Gives what still depends on an object, and how much of it: `("replicas", 3)`."""


def why_protected(raw: Raw, remains: Remains | None = None) -> str:
    """Say in the webhook's words why an object may not be deleted; "" where it may.

    Without `remains` the kind knows only `Always`. Other values of the label protect nothing, nor does an object that
    is going already need any protection.
    """
    value = labels_of(raw).get(DELETE_PROTECTION)
    if deleting(raw):
        return ""
    refusal = f"forbidden by ResourcesProtectionDeletion for {DELETE_PROTECTION}={value}"
    if value == ALWAYS:
        return refusal
    if value == CASCADING and remains is not None:
        for what, count in remains():
            if count > 0:
                return f"{refusal} and {what} {count}>0"
    return ""

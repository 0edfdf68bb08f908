"""What becomes of the volume claims of a set whose pods go: `persistentVolumeClaimRetentionPolicy` (advanced-statefulset.md §16.3)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, dig

RETENTION: Final = ("spec", "persistentVolumeClaimRetentionPolicy")
RETAIN: Final = {"whenDeleted": "Retain", "whenScaled": "Retain"}
"""No claim is ever deleted, and nobody owns one: what both kinds of sets do without a word."""


def retention_of(owner: Raw) -> Raw:
    """Give the retention policy of a set, both of its members said."""
    policy = dig(owner, RETENTION) or {}
    return {**RETAIN, **{key: value for key, value in policy.items() if value}}


def retains(owner: Raw) -> bool:
    """Say whether no claim is ever deleted."""
    return retention_of(owner) == RETAIN

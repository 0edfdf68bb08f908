"""Checks on the status of native workloads: counters that cannot be (sandbox-apiserver.md B1)."""

from typing import Final, NamedTuple

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import not_negative


class _Counters(NamedTuple):
    """`all` in the order of complaints, `within` are those that replicas bounds."""

    all: tuple[str, ...]
    within: tuple[str, ...]
    ready: str = "readyReplicas"


_KNOWN: Final = {
    "Deployment": _Counters(
        (
            "observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
            "unavailableReplicas", "terminatingReplicas", "collisionCount",
        ),
        ("updatedReplicas", "readyReplicas", "availableReplicas"),
    ),
    "ReplicaSet": _Counters(
        (
            "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration",
            "terminatingReplicas",
        ),
        ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    ),
    "StatefulSet": _Counters(
        (
            "replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
            "observedGeneration", "collisionCount",
        ),
        ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
        "status.readyReplicas",
    ),
}  # fmt: skip


def check_status(kind: str, new: Raw, old: Raw) -> list[FieldError]:
    """Check the counters of a workload's status; those of other kinds are taken as they come."""
    counters = _KNOWN.get(kind)
    if counters is None:
        return []
    status, before = new.get("status") or {}, old.get("status") or {}
    errors = not_negative(status, counters.all, "status")
    errors += _above(status, counters.within, "replicas", "status.replicas")
    errors += _above(status, ("availableReplicas",), "readyReplicas", counters.ready)
    count, held = status.get("collisionCount"), before.get("collisionCount")
    if "collisionCount" in counters.all and isinstance(count, int) and isinstance(held, int) and count < held:
        errors.append(invalid("status.collisionCount", count, "cannot be decremented"))
    return errors


def _above(status: Raw, names: tuple[str, ...], bound: str, shown: str) -> list[FieldError]:
    limit = status.get(bound) or 0
    counts = ((name, status.get(name) or 0) for name in names)
    return [
        invalid(f"status.{name}", count, f"cannot be greater than {shown}")
        for name, count in counts
        if count > limit
    ]

"""The status of a native StatefulSet (SS5)."""

from collections.abc import Iterable
from typing import Final

from kubectl_kruise.objects.pod import ready_since
from kubectl_kruise.objects.raw import Raw, deleting
from kubectl_kruise.sandbox.simulation.statefulset.decisions import available, created, revision_of, running
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet

_COUNTERS: Final = (
    "replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
)  # fmt: skip
_COMPARED: Final = (*_COUNTERS, "currentRevision", "updateRevision")


def count(view: NativeSet, pods: Iterable[Raw], current: str, update: str, now: float) -> dict[str, int]:
    """Count the pods that exist; one that is going still counts as a replica, but as of no revision."""
    counts = dict.fromkeys(_COUNTERS, 0)
    for pod in filter(created, pods):
        counts["replicas"] += 1
        counts["readyReplicas"] += running(pod)
        counts["availableReplicas"] += running(pod) and available(view, pod, now)
        if not deleting(pod):
            counts["currentReplicas"] += revision_of(pod) == current
            counts["updatedReplicas"] += revision_of(pod) == update
    return counts


def set_status(view: NativeSet, counts: dict[str, int], current: str, update: str, collisions: int) -> Raw:
    """Give the status; counters that are zero are left out, but `replicas` and `availableReplicas`.

    When all pods are updated and ready, the update revision becomes the current one.
    """
    reached = ("updatedReplicas", "readyReplicas", "replicas")
    if view.rolling and all(counts[name] == view.replicas for name in reached):
        counts, current = counts | {"currentReplicas": counts["updatedReplicas"]}, update
    shown = {
        name: number for name, number in counts.items() if number or name in {"replicas", "availableReplicas"}
    }
    return {
        "observedGeneration": view.generation,
        **shown,
        "currentRevision": current,
        "updateRevision": update,
        "collisionCount": collisions,
    }


def differs(view: NativeSet, status: Raw) -> bool:
    """Say whether a status is worth a write: other counts, other revisions, or a later generation seen."""
    old = view.status
    return status["observedGeneration"] > old.get("observedGeneration", 0) or any(
        (old.get(name) or type(status.get(name, 0))()) != status.get(name, 0) for name in _COMPARED
    )


def next_available(view: NativeSet, pods: Iterable[Raw], now: float) -> float | None:
    """Give the seconds until the next ready pod becomes available, None where none is waiting to."""
    waits = [
        max(since + view.min_ready - now, 0.0)
        for pod in pods
        if running(pod) and not available(view, pod, now) and (since := ready_since(pod)) is not None
    ]
    return min(waits, default=None)

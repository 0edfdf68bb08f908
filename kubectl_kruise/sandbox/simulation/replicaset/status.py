"""The status of a ReplicaSet, from its pods."""

from collections.abc import Sequence

from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import active, finished, ready, ready_since
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, metadata


def replicaset_status(
    replicaset: Raw, pods: Sequence[Raw], failure: tuple[str, str] | None, now: float
) -> Raw:
    """Count the pods; `failure` is reason and message of creations or deletions that failed. Zero counts are left out."""
    min_ready = dig(replicaset, ("spec", "minReadySeconds"), 0)
    template = dig(replicaset, ("spec", "template", "metadata", "labels"), {})
    living = [pod for pod in pods if active(pod)]
    going = [pod for pod in pods if deleting(pod) and not finished(pod)]
    counts = {
        "fullyLabeledReplicas": sum(template.items() <= labels_of(pod).items() for pod in living),
        "readyReplicas": sum(ready(pod) for pod in living),
        "availableReplicas": sum(_available(pod, min_ready, now) for pod in living),
    }
    status: Raw = {"replicas": len(living)}
    status |= {name: count for name, count in counts.items() if count}
    status |= {
        "terminatingReplicas": len(going),
        "observedGeneration": metadata(replicaset).get("generation", 0),
    }
    if conditions := _conditions(replicaset, failure, now):
        status["conditions"] = conditions
    return status


def next_available(replicaset: Raw, pods: Sequence[Raw], now: float) -> float | None:
    """Give the seconds until the next ready pod becomes available, None where none is waiting to."""
    min_ready = dig(replicaset, ("spec", "minReadySeconds"), 0)
    waits = [
        max(since + min_ready - now, 0.0)
        for pod in pods
        if min_ready and active(pod) and ready(pod) and not _available(pod, min_ready, now)
        if (since := ready_since(pod)) is not None
    ]
    return min(waits, default=None)


def _available(pod: Raw, min_ready: int, now: float) -> bool:
    """Say whether the pod has been ready for `min_ready` seconds; that long is enough."""
    since = ready_since(pod)
    return ready(pod) and (not min_ready or (since is not None and since + min_ready <= now))


def _conditions(replicaset: Raw, failure: tuple[str, str] | None, now: float) -> list[Raw]:
    known = dig(replicaset, ("status", "conditions"), [])
    others = [found for found in known if found.get("type") != "ReplicaFailure"]
    if failure is None:
        return others
    old = next((found for found in known if found.get("type") == "ReplicaFailure"), None)
    if old is not None and old.get("reason") == failure[0]:
        return list(known)
    condition = {"type": "ReplicaFailure", "status": "True", "lastTransitionTime": rfc3339(now)}
    return [*others, condition | {"reason": failure[0], "message": failure[1]}]

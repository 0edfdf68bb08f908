"""Pods cut down to what a rollout's progress is read from, so that thousands of them can be kept while waiting."""

from typing import Final

from kubectl_kruise.facts.names import (
    IN_PLACE_GRACE,
    IN_PLACE_GRACE_LEGACY,
    IN_PLACE_STATE,
    IN_PLACE_STATE_LEGACY,
    RUNTIME_META,
    STATE_TIMESTAMP,
)
from kubectl_kruise.objects.raw import Raw

_METADATA: Final = (
    "name", "namespace", "uid", "resourceVersion", "labels", "finalizers", "creationTimestamp", "deletionTimestamp",
    "deletionGracePeriodSeconds", "ownerReferences",
)  # fmt: skip
_ANNOTATIONS: Final = (
    IN_PLACE_STATE, IN_PLACE_STATE_LEGACY, IN_PLACE_GRACE, IN_PLACE_GRACE_LEGACY, RUNTIME_META, STATE_TIMESTAMP,
)  # fmt: skip
_STATUS: Final = ("phase", "conditions", "containerStatuses", "initContainerStatuses")
_CONTAINER: Final = ("name", "image", "resources")


def slim_pod(pod: Raw) -> Raw:
    """Give a pod of the same shape that shares the parts it keeps."""
    meta, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    annotations = meta.get("annotations") or {}
    containers = {
        field: [_pick(each, _CONTAINER) for each in spec[field]]
        for field in ("containers", "initContainers")
        if spec.get(field)
    }
    return {
        "metadata": {**_pick(meta, _METADATA), "annotations": _pick(annotations, _ANNOTATIONS)},
        "spec": {**_pick(spec, ("nodeName", "readinessGates")), **containers},
        "status": _pick(status, _STATUS),
    }


def _pick(raw: Raw, keys: tuple[str, ...]) -> Raw:
    return {key: raw[key] for key in keys if key in raw}

"""A StatefulSet as a server holds it, and the Advanced StatefulSet it becomes."""

import copy
from typing import Any

from kubectl_kruise.objects.raw import Raw

CLAIM: Raw = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
_LIVE: Raw = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {
        "name": "db",
        "namespace": "shop",
        "uid": "3f0c",
        "resourceVersion": "41",
        "generation": 2,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    },
    "spec": {
        "replicas": 3,
        "serviceName": "db",
        "selector": {"matchLabels": {"app": "db"}},
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "main", "image": "pg:16", "imagePullPolicy": "IfNotPresent"}]},
        },
        "podManagementPolicy": "OrderedReady",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        "revisionHistoryLimit": 10,
    },
    "status": {"replicas": 3},
}


def statefulset(metadata: Raw | None = None, **spec: Any) -> Raw:
    """Give a live StatefulSet of 3; a field set to None is left out."""
    made = copy.deepcopy(_LIVE)
    made["metadata"].update(metadata or {})
    made["spec"].update(copy.deepcopy(spec))
    made["spec"] = {key: value for key, value in made["spec"].items() if value is not None}
    return made


def rolling(**switches: Any) -> Raw:
    return {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, **switches}}


def asts(rolling_update: Raw | None = None, metadata: Raw | None = None, **spec: Any) -> Raw:
    """Give an Advanced StatefulSet of v1beta1 with 3 replicas."""
    made = statefulset(metadata, **spec)
    made.update(apiVersion="apps.kruise.io/v1beta1", status={})
    if "updateStrategy" not in spec:
        made["spec"]["updateStrategy"] = {
            "type": "RollingUpdate",
            "rollingUpdate": {
                "partition": 0, "maxUnavailable": 1, "podUpdatePolicy": "ReCreate", "paused": False,
                "minReadySeconds": 0, **(rolling_update or {}),
            },
        }  # fmt: skip
    return made

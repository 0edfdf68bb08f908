"""A Deployment as a server holds it, and the CloneSet it becomes."""

import copy
from typing import Any

from kubectl_kruise.objects.raw import Raw

_LIVE: Raw = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "uid": "3f0c",
        "resourceVersion": "41",
        "generation": 2,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    },
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "web:1", "imagePullPolicy": "IfNotPresent"}]},
        },
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    },
    "status": {"replicas": 3},
}


def deployment(metadata: Raw | None = None, **spec: Any) -> Raw:
    """Give a live Deployment of 3; a field set to None is left out."""
    made = copy.deepcopy(_LIVE)
    made["metadata"].update(metadata or {})
    made["spec"].update(copy.deepcopy(spec))
    made["spec"] = {key: value for key, value in made["spec"].items() if value is not None}
    return made


def rolling(surge: int | str, unavailable: int | str) -> Raw:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def cloneset(strategy: Raw | None = None, metadata: Raw | None = None, **spec: Any) -> Raw:
    """Give a CloneSet of v1alpha1 with 3 replicas."""
    made = deployment(metadata, strategy=None, **spec)
    made.update(apiVersion="apps.kruise.io/v1alpha1", kind="CloneSet", status={})
    made["spec"]["updateStrategy"] = {"type": "ReCreate"} if strategy is None else strategy
    return made

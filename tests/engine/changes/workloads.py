"""Small workloads for the tests of planners."""

from typing import Any

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, STATEFULSET
from kubectl_kruise.objects.workload import Workload

UID = "11111111-2222-3333-4444-555555555555"


def cloneset(
    *, strategy: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> Workload:
    containers = [{"name": "app", "image": "shop/web:1"}, {"name": "proxy", "image": "envoy:1"}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    body: dict[str, Any] = {
        "replicas": 5,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template,
        **spec,
    }
    if strategy is not None:
        body["updateStrategy"] = strategy
    raw = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": UID, "resourceVersion": "7", "generation": 1},
        "spec": body,
        "status": status or {},
    }
    return Workload(raw, CLONESET)


def deployment(**spec: Any) -> Workload:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "web:1"}]},
    }
    raw = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": UID, "resourceVersion": "7"},
        "spec": {"replicas": 2, "template": template, **spec},
    }
    return Workload(raw, DEPLOYMENT)


def pod(
    name: str,
    *,
    owner: str | None = UID,
    created: str = "2026-01-01T00:00:00Z",
    ready: bool = True,
    **meta: Any,
) -> dict[str, Any]:
    references = [{"apiVersion": "v1", "kind": "CloneSet", "name": "web", "uid": owner, "controller": True}]
    return {
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-{name}",
            "resourceVersion": "9",
            "creationTimestamp": created,
            "ownerReferences": references if owner else [],
            **meta,
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": created}],
        },
    }


def surging_on_delete(**rolling: Any) -> Workload:
    """Give a CloneSet of v1beta1 that replaces pods by a surge although its type is OnDelete (cloneset.md §26 Q26)."""
    strategy = {"type": "OnDelete", "rollingUpdate": {"maxSurge": 1, **rolling}}
    return Workload({**cloneset(strategy=strategy).raw, "apiVersion": "apps.kruise.io/v1beta1"}, CLONESET)


def advanced_set(
    *, rolling: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> Workload:
    """Give an Advanced StatefulSet `web` of five pods, in parallel unless `podManagementPolicy` says otherwise."""
    containers = [{"name": "app", "image": "shop/web:1"}]
    body: dict[str, Any] = {
        "replicas": 5,
        "podManagementPolicy": "Parallel",
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling or {}},
        **spec,
    }
    meta = {"name": "web", "namespace": "shop", "uid": UID, "resourceVersion": "7", "generation": 1}
    raw = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": body,
        "status": status or {},
    }
    return Workload(raw, STATEFULSET)

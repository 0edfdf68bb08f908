"""Defaults of the native kinds (sandbox-apiserver.md N1); what needs a counter or a lookup is the registry's."""

import base64
from collections.abc import Callable
from typing import Final

from kubectl_kruise.objects.raw import Raw, labels_of
from kubectl_kruise.sandbox.native.batch_defaults import fill_cron_job, fill_job, open_job
from kubectl_kruise.sandbox.native.limit_range import fill_limit_range
from kubectl_kruise.sandbox.native.pod_defaults import fill_native_pod_spec, fill_pod, open_pod

Filler = Callable[[Raw], None]
_DOUBLE: Final = {"type": "Percent", "value": 100, "periodSeconds": 15}
_SCALING: Final = (
    ("scaleUp", 0, ({"type": "Pods", "value": 4, "periodSeconds": 15}, _DOUBLE)),
    ("scaleDown", None, (_DOUBLE,)),
)
"""How fast an autoscaler may go where it says only a part of it: rules, stabilisation window, policies."""
_ROLES_GROUP: Final = "rbac.authorization.k8s.io"


def fillers(kind: str) -> tuple[Filler | None, Filler | None]:
    """Give the functions that fill an object in place: one for a new object (without status), one for every write."""
    return _NEW.get(kind), _FILLERS.get(kind)


def _workload(obj: Raw) -> Raw:
    spec: Raw = obj.setdefault("spec", {})
    fill_native_pod_spec(spec.setdefault("template", {}).setdefault("spec", {}))
    return spec


def _deployment(obj: Raw) -> None:
    spec = _workload(obj)
    _fill(spec, {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        _fill(strategy.setdefault("rollingUpdate", {}), {"maxUnavailable": "25%", "maxSurge": "25%"})


def _replica_set(obj: Raw) -> None:
    _workload(obj).setdefault("replicas", 1)


def _replication_controller(obj: Raw) -> None:
    spec = obj.setdefault("spec", {})
    if (template := spec.get("template")) is not None:
        fill_native_pod_spec(template.setdefault("spec", {}))
        meta, labels = obj.setdefault("metadata", {}), labels_of(template)
        if labels:
            spec["selector"] = spec.get("selector") or dict(labels)
            meta["labels"] = meta.get("labels") or dict(labels)
    spec.setdefault("replicas", 1)


def _stateful_set(obj: Raw) -> None:
    spec = _workload(obj)
    _fill(spec, {"replicas": 1, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10})
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "RollingUpdate" and rolling is not None:
        rolling.setdefault("partition", 0)
        rolling.pop("maxUnavailable", None)  # behind a feature gate that is off by default
    _fill(
        spec.setdefault("persistentVolumeClaimRetentionPolicy", {}),
        {"whenDeleted": "Retain", "whenScaled": "Retain"},
    )
    for claim in spec.get("volumeClaimTemplates") or ():
        _fill(claim, {"kind": "PersistentVolumeClaim", "apiVersion": "v1"})
        _claim_body(claim)


def _daemon_set(obj: Raw) -> None:
    spec = _workload(obj)
    spec.setdefault("revisionHistoryLimit", 10)
    strategy = spec.setdefault("updateStrategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        _fill(strategy.setdefault("rollingUpdate", {}), {"maxUnavailable": 1, "maxSurge": 0})


def _pod_template(obj: Raw) -> None:
    fill_native_pod_spec(obj.setdefault("template", {}).setdefault("spec", {}))


def _claim_body(obj: Raw) -> None:
    obj.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
    obj.setdefault("status", {}).setdefault("phase", "Pending")


def _service(obj: Raw) -> None:
    spec = obj.setdefault("spec", {})
    _fill(spec, {"type": "ClusterIP", "sessionAffinity": "None"})
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if port.get("targetPort") in {None, 0, ""}:
            port["targetPort"] = port.get("port")
    if spec["type"] == "ExternalName":
        spec.setdefault("ports", [])
        return
    spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] in {"NodePort", "LoadBalancer"}:
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    if spec["sessionAffinity"] == "ClientIP":
        spec.setdefault("sessionAffinityConfig", {"clientIP": {"timeoutSeconds": 10800}})


def _secret(obj: Raw) -> None:
    obj.setdefault("type", "Opaque")
    texts = obj.pop("stringData", None)
    if texts:
        written = {key: base64.b64encode(value.encode()).decode() for key, value in texts.items()}
        obj["data"] = {**(obj.get("data") or {}), **written}


def _namespace(obj: Raw) -> None:
    meta = obj.setdefault("metadata", {})
    if meta.get("name"):
        meta["labels"] = {**(meta.get("labels") or {}), "kubernetes.io/metadata.name": meta["name"]}


def _open_namespace(obj: Raw) -> None:
    obj.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    obj["status"] = {"phase": "Active"}


def _autoscaler(obj: Raw) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("minReplicas", 1)
    if obj.get("apiVersion") == "autoscaling/v1":
        return
    if not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    behavior = spec.get("behavior")
    for name, window, policies in _SCALING if behavior is not None else ():
        rules = behavior.setdefault(name, {})
        _fill(
            rules,
            {"selectPolicy": "Max"} | ({} if window is None else {"stabilizationWindowSeconds": window}),
        )
        if not rules.get("policies"):
            rules["policies"] = [dict(policy) for policy in policies]


def _definition(obj: Raw) -> None:
    """Complete the names of a CRD and its conversion (CR1)."""
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    kind = names.get("kind") or ""
    if kind:
        _fill(names, {"singular": kind.lower(), "listKind": f"{kind}List"})
    spec.setdefault("conversion", {"strategy": "None"})
    webhook = spec["conversion"].get("webhook") or {}
    if (service := (webhook.get("clientConfig") or {}).get("service")) is not None:
        service.setdefault("port", 443)


def _network_policy(obj: Raw) -> None:
    spec = obj.setdefault("spec", {})
    for rule in (*(spec.get("ingress") or ()), *(spec.get("egress") or ())):
        for port in rule.get("ports") or ():
            port.setdefault("protocol", "TCP")
    spec.setdefault("policyTypes", ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"])


def _endpoint_slice(obj: Raw) -> None:
    for port in obj.get("ports") or ():
        _fill(port, {"name": "", "protocol": "TCP"})


def _endpoints(obj: Raw) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            port.setdefault("protocol", "TCP")


def _role_binding(obj: Raw) -> None:
    for subject in obj.get("subjects") or ():
        if subject.get("kind") in {"User", "Group"}:
            subject["apiGroup"] = subject.get("apiGroup") or _ROLES_GROUP
    if reference := obj.get("roleRef"):
        reference["apiGroup"] = reference.get("apiGroup") or _ROLES_GROUP


def _storage_class(obj: Raw) -> None:
    _fill(obj, {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})


def _fill(target: Raw, values: Raw) -> None:
    for key, value in values.items():
        target.setdefault(key, value)


_FILLERS: Final[dict[str, Filler]] = {
    "Pod": fill_pod, "LimitRange": fill_limit_range, "PodTemplate": _pod_template, "Deployment": _deployment, "ReplicaSet": _replica_set,
    "ReplicationController": _replication_controller, "StatefulSet": _stateful_set, "DaemonSet": _daemon_set,
    "PersistentVolumeClaim": _claim_body, "Service": _service, "Secret": _secret, "Namespace": _namespace,
    "HorizontalPodAutoscaler": _autoscaler, "CustomResourceDefinition": _definition,
    "Job": fill_job, "CronJob": fill_cron_job,
    "NetworkPolicy": _network_policy, "Endpoints": _endpoints,
    "RoleBinding": _role_binding, "ClusterRoleBinding": _role_binding, "EndpointSlice": _endpoint_slice, "StorageClass": _storage_class,
}  # fmt: skip

_NEW: Final[dict[str, Filler]] = {
    "Pod": open_pod,
    "Job": open_job,
    "Namespace": _open_namespace,
}

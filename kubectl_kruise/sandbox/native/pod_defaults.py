"""What pods get when they are written, beyond what their templates get (sandbox-apiserver.md N1)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.engine.admission.pod_defaults import fill_host_ports, fill_pod_spec
from kubectl_kruise.objects.qos import qos_class
from kubectl_kruise.objects.raw import Raw

_NOT_READY: Final = "node.kubernetes.io/not-ready"
_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_EVICT_AFTER: Final = 300
_CONTAINER_LISTS: Final = ("initContainers", "containers")


def fill_native_pod_spec(spec: Raw) -> None:
    """Fill a pod spec in place, in a template or a pod."""
    fill_pod_spec(spec)
    fill_host_ports(spec)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def fill_pod(pod: Raw) -> None:
    """Fill what only pods get: requests from limits, first status."""
    spec = pod.setdefault("spec", {})
    fill_native_pod_spec(spec)
    for container in containers_of(spec):
        resources = container.get("resources") or {}
        if resources.get("limits"):
            resources["requests"] = {**resources["limits"], **(resources.get("requests") or {})}
    spec.setdefault("enableServiceLinks", True)
    status = pod.setdefault("status", {})
    status.setdefault("phase", "Pending")
    if "qosClass" not in status:
        status["qosClass"] = qos_class(spec)


def open_pod(pod: Raw) -> None:
    """Prepare a new pod: a negative grace period counts as one second, gates keep it from being scheduled."""
    spec = pod.setdefault("spec", {})
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    if spec.get("schedulingGates"):
        gated = {
            "type": "PodScheduled", "status": "False", "lastProbeTime": None, "lastTransitionTime": None,
            "reason": "SchedulingGated", "message": "Scheduling is blocked due to non-empty scheduling gates",
        }  # fmt: skip
        pod["status"] = {"conditions": [gated]}


def fill_tolerations(spec: Raw) -> None:
    """Let a pod stay for five minutes on a node that is not ready or cannot be reached, unless it says otherwise."""
    tolerations = spec.get("tolerations") or []
    missing = [key for key in (_NOT_READY, _UNREACHABLE) if not _tolerated(tolerations, key)]
    if missing:
        added = [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _EVICT_AFTER}
            for key in missing
        ]
        spec["tolerations"] = [*tolerations, *added]


def containers_of(spec: Raw) -> Iterator[Raw]:
    """Walk the containers of a pod spec, init containers first."""
    for name in _CONTAINER_LISTS:
        yield from spec.get(name) or ()


def _tolerated(tolerations: list[Raw], key: str) -> bool:
    return any(
        (known.get("key") or key) == key and (known.get("effect") or "NoExecute") == "NoExecute"
        for known in tolerations
    )

"""What a pod template or pod gets when it is written (sandbox-apiserver.md N1)."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw

_PROBE: Final = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_SOURCE_MODE: Final = ("configMap", "secret", "projected", "downwardAPI")
_NOT_READY: Final = "node.kubernetes.io/not-ready"
_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_EVICT_AFTER: Final = 300
_CONTAINER_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")


def pull_policy(image: str) -> str:
    """Give the policy for an image: Always where it may move, by `latest` or no tag; a digest counts as a tag."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "IfNotPresent" if digest or tag not in {"", "latest"} else "Always"


def fill_pod_spec(spec: Raw) -> None:
    """Fill a pod spec in place, in a template or a pod."""
    _fill(spec, {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
                 "schedulerName": "default-scheduler"})  # fmt: skip
    spec.setdefault("securityContext", {})
    if spec.get("hostNetwork"):
        for container in containers_of(spec):
            for port in container.get("ports") or ():
                port.setdefault("hostPort", port.get("containerPort"))
    if spec.get("serviceAccountName"):
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    elif spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"]
    for container in containers_of(spec):
        _fill_container(container)
    for volume in spec.get("volumes") or ():
        _fill_volume(volume)


def fill_pod(pod: Raw) -> None:
    """Fill what only pods get: requests from limits, tolerations, priority, first status."""
    spec = pod.setdefault("spec", {})
    fill_pod_spec(spec)
    for container in containers_of(spec):
        resources = container.get("resources") or {}
        if resources.get("limits"):
            resources["requests"] = {**resources["limits"], **(resources.get("requests") or {})}
    _fill(spec, {"enableServiceLinks": True, "priority": 0, "preemptionPolicy": "PreemptLowerPriority"})
    tolerations = spec.get("tolerations") or []
    missing = [key for key in (_NOT_READY, _UNREACHABLE) if not _tolerated(tolerations, key)]
    if missing:
        added = [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _EVICT_AFTER}
            for key in missing
        ]
        spec["tolerations"] = [*tolerations, *added]
    status = pod.setdefault("status", {})
    status.setdefault("phase", "Pending")
    status.setdefault("qosClass", _qos_class(spec))


def containers_of(spec: Raw) -> Iterator[Raw]:
    """Walk the containers of a pod spec, init containers first."""
    for name in _CONTAINER_LISTS:
        yield from spec.get(name) or ()


def _fill_container(container: Raw) -> None:
    _fill(container, {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
    if "imagePullPolicy" not in container:
        container["imagePullPolicy"] = pull_policy(container.get("image") or "")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or ():
        _fill_source(variable.get("valueFrom"))
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is not None:
            _fill(probe, _PROBE)
            _fill_handler(probe)
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict):
            _fill_handler(handler)


def _fill_handler(handler: Raw) -> None:
    if (request := handler.get("httpGet")) is not None:
        _fill(request, {"path": "/", "scheme": "HTTP"})
    if (call := handler.get("grpc")) is not None:
        call.setdefault("service", "")


def _fill_source(source: Any) -> None:
    if source and "fieldRef" in source:
        source["fieldRef"].setdefault("apiVersion", "v1")


def _fill_volume(volume: Raw) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for name in _SOURCE_MODE:
        if name in volume:
            volume[name].setdefault("defaultMode", 420)
    for name, fill in _VOLUMES.items():
        if name in volume:
            fill(volume[name])


def _fill_projected(projected: Raw) -> None:
    for source in projected.get("sources") or ():
        if "serviceAccountToken" in source:
            source["serviceAccountToken"].setdefault("expirationSeconds", 3600)
        _fill_downward(source.get("downwardAPI") or {})


def _fill_downward(downward: Raw) -> None:
    for item in downward.get("items") or ():
        _fill_source(item)


def _fill_ephemeral(ephemeral: Raw) -> None:
    template = ephemeral.get("volumeClaimTemplate") or {}
    if "spec" in template:
        template["spec"].setdefault("volumeMode", "Filesystem")


_VOLUMES: Final[dict[str, Callable[[Raw], None]]] = {
    "downwardAPI": _fill_downward,
    "projected": _fill_projected,
    "ephemeral": _fill_ephemeral,
    "hostPath": lambda source: _fill(source, {"type": ""}),
    "iscsi": lambda source: _fill(source, {"iscsiInterface": "default"}),
    "rbd": lambda source: _fill(source, {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}),
    "azureDisk": lambda source: _fill(
        source, {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"}
    ),
    "scaleIO": lambda source: _fill(source, {"storageMode": "ThinProvisioned", "fsType": "xfs"}),
}


def _tolerated(tolerations: list[Raw], key: str) -> bool:
    return any(
        (known.get("key") or key) == key and (known.get("effect") or "NoExecute") == "NoExecute"
        for known in tolerations
    )


def _qos_class(spec: Raw) -> str:
    """Give the quality of service from requests and limits of cpu and memory of all containers."""
    guaranteed, any_set = True, False
    for container in containers_of(spec):
        resources = container.get("resources") or {}
        limits, requests = (
            {
                name: amount
                for name, amount in (resources.get(part) or {}).items()
                if name in {"cpu", "memory"}
            }
            for part in ("limits", "requests")
        )
        any_set = any_set or bool(limits or requests)
        guaranteed = guaranteed and limits.keys() == {"cpu", "memory"} and limits == requests
    return "Guaranteed" if any_set and guaranteed else "Burstable" if any_set else "BestEffort"


def _fill(target: Raw, values: Raw) -> None:
    for key, value in values.items():
        target.setdefault(key, value)

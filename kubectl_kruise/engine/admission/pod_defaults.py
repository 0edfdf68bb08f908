"""The defaults of pod specs: those of Kubernetes, and where the webhook of Kruise differs (cloneset.md §4).

Every function fills the object it is given in place.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from kubectl_kruise.objects.notation.quantity import Quantity, parse_quantity
from kubectl_kruise.objects.raw import Raw

_POD: Final = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
}
_CONTAINER: Final = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_PROBE: Final = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_WITH_MODE: Final = ("configMap", "secret", "projected", "downwardAPI")
_FILE_MODE: Final = 0o644
_MILLI: Final = 10**6


def pull_policy(image: str) -> str:
    """Give the policy for an image that may move (`latest` or no tag) or not; a digest counts as a tag."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "IfNotPresent" if digest or tag not in {"", "latest"} else "Always"


def fill_pod_spec(spec: Raw, *, kruise: bool = False) -> None:
    """Fill a pod spec. With `kruise` as its webhook does: containers pull always, a gRPC probe keeps no service."""
    _fill(spec, _POD)
    _fill(spec, {"securityContext": {}})
    for volume in spec.get("volumes") or []:
        _fill_volume(volume)
    for container in [*(spec.get("initContainers") or []), *(spec.get("ephemeralContainers") or [])]:
        _fill_container(container, pull_policy(str(container.get("image") or "")), kruise=kruise)
    for container in spec.get("containers") or []:
        policy = "Always" if kruise else pull_policy(str(container.get("image") or ""))
        _fill_container(container, policy, kruise=kruise)


def fill_pod_template(template: Raw, *, kruise: bool = False, host_ports: bool = False) -> None:
    """Fill the pod spec of a template; `host_ports` is gate DefaultHostNetworkHostPortsInPodTemplates."""
    spec = template.get("spec")
    if spec is None:
        spec = template["spec"] = {}
    if host_ports:
        fill_host_ports(spec)
    fill_pod_spec(spec, kruise=kruise)


def fill_host_ports(spec: Raw) -> None:
    """Give every port of a pod in the host's network the number it has there."""
    for container in [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]:
        for port in (container.get("ports") or []) if spec.get("hostNetwork") else ():
            if not port.get("hostPort"):
                port["hostPort"] = port.get("containerPort")


def fill_claim_template(claim: Raw) -> None:
    """Fill a claim template as Kruise does: no volume mode (cloneset.md §4)."""
    _round(claim, ("spec", "resources"))
    status = claim.get("status") or {}
    claim["status"] = {"phase": "Pending", **status}


def _fill_container(container: Raw, policy: str, *, kruise: bool) -> None:
    _fill(container, _CONTAINER)
    _fill(container, {"imagePullPolicy": policy})
    _round(container, ("resources",))
    for port in container.get("ports") or []:
        _fill(port, {"protocol": "TCP"})
    for variable in container.get("env") or []:
        _fill_reference(variable.get("valueFrom"))
    for probe in [container[name] for name in _PROBES if container.get(name)]:
        _fill(probe, _PROBE)
        _fill_handler(probe, kruise=kruise)
    for hook in (container.get("lifecycle") or {}).values():
        if isinstance(hook, dict):
            _fill_handler(hook, kruise=kruise)


def _fill_handler(handler: Raw, *, kruise: bool) -> None:
    if (request := handler.get("httpGet")) is not None:
        _fill(request, {"path": "/", "scheme": "HTTP"})
    if (call := handler.get("grpc")) is not None and not kruise and call.get("service") is None:
        call["service"] = ""


def _fill_reference(source: Any) -> None:
    if source and source.get("fieldRef"):
        _fill(source["fieldRef"], {"apiVersion": "v1"})


def _fill_volume(volume: Raw) -> None:
    sources = {key: source for key, source in volume.items() if key != "name" and source is not None}
    if not sources:
        volume["emptyDir"] = {}
    for name in _WITH_MODE:
        if name in sources:
            _fill(sources[name], {"defaultMode": _FILE_MODE})
    for name, fill in _SOURCES.items():
        if name in sources:
            fill(sources[name])


def _fill_downward(source: Raw) -> None:
    for item in source.get("items") or []:
        _fill_reference(item)


def _fill_projected(projected: Raw) -> None:
    for source in projected.get("sources") or []:
        if (token := source.get("serviceAccountToken")) is not None:
            _fill(token, {"expirationSeconds": 3600})
        _fill_downward(source.get("downwardAPI") or {})


def _fill_host_path(source: Raw) -> None:
    if source.get("type") is None:
        source["type"] = ""


def _fill_ephemeral(source: Raw) -> None:
    spec = (source.get("volumeClaimTemplate") or {}).get("spec")
    if spec is not None:
        _fill(spec, {"volumeMode": "Filesystem"})


_SOURCES: Final[dict[str, Callable[[Raw], None]]] = {
    "downwardAPI": _fill_downward,
    "projected": _fill_projected,
    "hostPath": _fill_host_path,
    "ephemeral": _fill_ephemeral,
    "iscsi": lambda source: _fill(source, {"iscsiInterface": "default"}),
    "rbd": lambda source: _fill(source, {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}),
    "azureDisk": lambda source: _fill(
        source, {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"}
    ),
    "scaleIO": lambda source: _fill(source, {"storageMode": "ThinProvisioned", "fsType": "xfs"}),
}


def _fill(target: Raw, values: Raw) -> None:
    """Set what is absent, null or the empty string: the Go types do not tell these apart."""
    for key, value in values.items():
        if target.get(key) is None or (isinstance(value, str) and target[key] == ""):
            target[key] = dict(value) if isinstance(value, dict) else value


def _round(holder: Raw, path: tuple[str, ...]) -> None:
    """Round amounts of resources up to thousandths."""
    for step in path:
        holder = holder.get(step) or {}
    for amounts in _amounts(holder):
        for name, amount in amounts.items():
            quantity = parse_quantity(amount)
            if quantity.nanos % _MILLI:
                rounded = -(-quantity.nanos // _MILLI) if quantity.nanos > 0 else quantity.nanos // _MILLI
                amounts[name] = str(Quantity(rounded * _MILLI, quantity.notation))


def _amounts(resources: Raw) -> Iterator[Raw]:
    yield from (resources[part] for part in ("limits", "requests") if resources.get(part))

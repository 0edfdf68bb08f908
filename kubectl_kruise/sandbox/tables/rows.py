"""The rows of the native kinds other than pods (sandbox-apiserver.md TB4)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of, owner_of
from kubectl_kruise.sandbox.tables.ages import UNKNOWN, age
from kubectl_kruise.sandbox.tables.shape import Cells

NONE: Final = "<none>"
created: Final = ("metadata", "creationTimestamp")
_MODES: Final = {
    "ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP",
}  # fmt: skip
_ROLE: Final = "node-role.kubernetes.io/"
_SHOWN_ADDRESSES: Final = 3


def _old(obj: Raw, now: datetime) -> str:
    return age(dig(obj, created), now)


def _containers(obj: Raw) -> list[Any]:
    found = dig(obj, ("spec", "template", "spec", "containers"), [])
    return [",".join(c.get("name", "") for c in found), ",".join(c.get("image", "") for c in found)]


def pairs(labels: Raw | None) -> str:
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) if labels else NONE


def selector(raw: Raw | None) -> str:
    """Write a label selector: pairs, then expressions."""
    if not raw:
        return NONE
    parts = [pairs(raw["matchLabels"])] if raw.get("matchLabels") else []
    for wanted in raw.get("matchExpressions") or ():
        key, values = wanted.get("key", ""), ",".join(sorted(wanted.get("values") or ()))
        forms = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}
        parts.append(forms.get(wanted.get("operator", ""), f"!{key}"))
    return ",".join(parts) or NONE


def _status(obj: Raw, *names: str) -> list[Any]:
    return [dig(obj, ("status", name), 0) for name in names]


def _deployment(obj: Raw, now: datetime) -> list[Any]:
    ready, updated, available = _status(obj, "readyReplicas", "updatedReplicas", "availableReplicas")
    wanted = dig(obj, ("spec", "replicas"), 0)
    shown = [name_of(obj), f"{ready}/{wanted}", updated, available, _old(obj, now), *_containers(obj)]
    return [*shown, selector(dig(obj, ("spec", "selector")))]


def _replica_set(obj: Raw, now: datetime) -> list[Any]:
    current, ready = _status(obj, "replicas", "readyReplicas")
    wanted = dig(obj, ("spec", "replicas"), 0)
    return [
        name_of(obj), wanted, current, ready, _old(obj, now), *_containers(obj), selector(dig(obj, ("spec", "selector"))),
    ]  # fmt: skip


def _stateful_set(obj: Raw, now: datetime) -> list[Any]:
    (ready,) = _status(obj, "readyReplicas")
    return [name_of(obj), f"{ready}/{dig(obj, ('spec', 'replicas'), 0)}", _old(obj, now), *_containers(obj)]


def _daemon_set(obj: Raw, now: datetime) -> list[Any]:
    counts = _status(
        obj,
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    nodes = pairs(dig(obj, ("spec", "template", "spec", "nodeSelector")))
    return [
        name_of(obj),
        *counts,
        nodes,
        _old(obj, now),
        *_containers(obj),
        selector(dig(obj, ("spec", "selector"))),
    ]


def _controller_revision(obj: Raw, now: datetime) -> list[Any]:
    owner = owner_of(obj)
    shown = NONE
    if owner is not None:
        group = owner.get("apiVersion", "").rpartition("/")[0]
        kind = owner.get("kind", "").lower()
        shown = f"{kind}.{group}/{owner.get('name')}" if group else f"{kind}/{owner.get('name')}"
    return [name_of(obj), shown, obj.get("revision", 0), _old(obj, now)]


def _service(obj: Raw, now: datetime) -> list[Any]:
    spec = obj.get("spec") or {}
    ports = [_port(port) for port in spec.get("ports") or ()]
    return [
        name_of(obj), spec.get("type", ""), spec.get("clusterIP") or NONE, _external(obj), ",".join(ports) or NONE,
        _old(obj, now), pairs(spec.get("selector")),
    ]  # fmt: skip


def _port(port: Raw) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}"


def _external(obj: Raw) -> str:
    spec = obj.get("spec") or {}
    fixed = ",".join(spec.get("externalIPs") or ())
    match spec.get("type"):
        case "ExternalName":
            return str(spec.get("externalName", ""))
        case "LoadBalancer":
            found = dig(obj, ("status", "loadBalancer", "ingress"), [])
            given = ",".join(filter(None, (entry.get("ip") or entry.get("hostname") for entry in found)))
            return ",".join(filter(None, (given, fixed))) or "<pending>"
    return fixed or NONE


def _event(obj: Raw, now: datetime) -> list[Any]:
    first, last = (
        obj.get("firstTimestamp") or obj.get("deprecatedFirstTimestamp"),
        obj.get("lastTimestamp") or obj.get("deprecatedLastTimestamp"),
    )
    happened = obj.get("eventTime")
    about = obj.get("involvedObject") or obj.get("regarding") or {}
    source = obj.get("source") or obj.get("deprecatedSource") or {}
    seen = dig(obj, ("series", "lastObservedTime")) or last or happened
    names = (
        source.get("component") or obj.get("reportingComponent") or obj.get("reportingController"),
        source.get("host"),
    )
    target = f"{(about.get('kind') or '').lower()}/{about.get('name') or ''}"
    count = dig(obj, ("series", "count")) or obj.get("count") or obj.get("deprecatedCount") or 1
    return [
        age(seen, now), obj.get("type") or "", obj.get("reason") or "", target, about.get("fieldPath") or "",
        ", ".join(filter(None, names)), (obj.get("message") or obj.get("note") or "").strip(), age(first or happened, now),
        count, name_of(obj),
    ]  # fmt: skip


def _node(obj: Raw, now: datetime) -> list[Any]:
    ready = {c.get("type"): c.get("status") for c in dig(obj, ("status", "conditions"), [])}.get("Ready")
    states = ["Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"]
    if dig(obj, ("spec", "unschedulable")):
        states.append("SchedulingDisabled")
    labels = labels_of(obj)
    roles = sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE)
    if labels.get("kubernetes.io/role"):
        roles.append(labels["kubernetes.io/role"])
    info = dig(obj, ("status", "nodeInfo"), {})
    addresses = {a.get("type"): a.get("address") for a in reversed(dig(obj, ("status", "addresses"), []))}
    tail = [info.get(name) or UNKNOWN for name in ("osImage", "kernelVersion", "containerRuntimeVersion")]
    return [
        name_of(obj), ",".join(states), ",".join(roles) or NONE, _old(obj, now), info.get("kubeletVersion") or "",
        addresses.get("InternalIP") or NONE, addresses.get("ExternalIP") or NONE, *tail,
    ]  # fmt: skip


def _namespace(obj: Raw, now: datetime) -> list[Any]:
    return [name_of(obj), dig(obj, ("status", "phase"), ""), _old(obj, now)]


def _config_map(obj: Raw, now: datetime) -> list[Any]:
    return [name_of(obj), len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), _old(obj, now)]


def _secret(obj: Raw, now: datetime) -> list[Any]:
    return [name_of(obj), obj.get("type", ""), len(obj.get("data") or ()), _old(obj, now)]


def _aged(obj: Raw, now: datetime) -> list[Any]:
    return [name_of(obj), _old(obj, now)]


def _lease(obj: Raw, now: datetime) -> list[Any]:
    return [name_of(obj), dig(obj, ("spec", "holderIdentity"), ""), _old(obj, now)]


def _claim(obj: Raw, now: datetime) -> list[Any]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    phase = "Terminating" if dig(obj, ("metadata", "deletionTimestamp")) else status.get("phase", "")
    bound = bool(spec.get("volumeName"))
    modes = ",".join(_MODES.get(mode, mode) for mode in status.get("accessModes") or ()) if bound else ""
    return [
        name_of(obj), phase, spec.get("volumeName", ""), dig(status, ("capacity", "storage"), "") if bound else "", modes,
        spec.get("storageClassName") or "", spec.get("volumeAttributesClassName") or "<unset>", _old(obj, now),
        spec.get("volumeMode", ""),
    ]  # fmt: skip


def _autoscaler(obj: Raw, now: datetime) -> list[Any]:
    spec = obj.get("spec") or {}
    target = spec.get("scaleTargetRef") or {}
    least = spec.get("minReplicas")
    return [
        name_of(obj), f"{target.get('kind')}/{target.get('name')}", _targets(spec), "<unset>" if least is None else str(least),
        spec.get("maxReplicas", 0), dig(obj, ("status", "currentReplicas"), 0), _old(obj, now),
    ]  # fmt: skip


def _targets(spec: Raw) -> str:
    """Write the targets of an autoscaler; the sandbox has no metrics, so that current values are unknown."""
    if spec.get("targetCPUUtilizationPercentage"):
        return f"cpu: <unknown>/{spec['targetCPUUtilizationPercentage']}%"
    shown = []
    for metric in spec.get("metrics") or ():
        resource = metric.get("resource") or metric.get("containerResource") or {}
        wanted = resource.get("target") or {}
        if wanted.get("averageValue"):
            shown.append(f"{resource.get('name')}: <unknown>/{wanted['averageValue']}")
        elif resource:
            shown.append(f"{resource.get('name')}: <unknown>/{wanted.get('averageUtilization', '<auto>')}%")
        else:
            shown.append("<unknown>/<auto>")
    more = f" + {len(shown) - 2} more..." if len(shown) > 2 else ""
    return (", ".join(shown[:2]) or NONE) + more


def _budget(obj: Raw, now: datetime) -> list[Any]:
    spec = obj.get("spec") or {}
    limits = [
        "N/A" if spec.get(name) is None else str(spec[name]) for name in ("minAvailable", "maxUnavailable")
    ]
    return [name_of(obj), *limits, dig(obj, ("status", "disruptionsAllowed"), 0), _old(obj, now)]


def _endpoints(obj: Raw, now: datetime) -> list[Any]:
    found = [
        f"{address.get('ip')}:{port.get('port')}" if port else address.get("ip", "")
        for subset in obj.get("subsets") or ()
        for address in subset.get("addresses") or ()
        for port in subset.get("ports") or (None,)
    ]
    return [name_of(obj), _some(found), _old(obj, now)]


def _endpoint_slice(obj: Raw, now: datetime) -> list[Any]:
    ports = [str(port.get("port") or "*") for port in obj.get("ports") or ()]
    found = [
        address for endpoint in obj.get("endpoints") or () for address in endpoint.get("addresses") or ()
    ]
    shown = ",".join(ports) or "<unset>"
    return [
        name_of(obj),
        obj.get("addressType", ""),
        shown,
        _some(found) if found else "<unset>",
        _old(obj, now),
    ]


def _some(found: Iterable[str]) -> str:
    """Join addresses, at most three."""
    listed = list(found)
    more = f" + {len(listed) - _SHOWN_ADDRESSES} more..." if len(listed) > _SHOWN_ADDRESSES else ""
    return (",".join(listed[:_SHOWN_ADDRESSES]) or NONE) + more


_TEMPLATE: Final = "Containers*, Images*"
ROWS: Final[dict[str, tuple[str, Cells]]] = {
    "Deployment": (f"Name, Ready, Up-to-date, Available, Age, {_TEMPLATE}, Selector*", _deployment),
    "ReplicaSet": (f"Name, Desired:i, Current:i, Ready:i, Age, {_TEMPLATE}, Selector*", _replica_set),
    "ReplicationController": (f"Name, Desired:i, Current:i, Ready:i, Age, {_TEMPLATE}, Selector*", _replica_set),
    "StatefulSet": (f"Name, Ready, Age, {_TEMPLATE}", _stateful_set),
    "DaemonSet": (
        ("Name, Desired:i, Current:i, Ready:i, Up-to-date:i, Available:i, Node Selector, Age,"
        f" {_TEMPLATE}, Selector*"),
        _daemon_set,
    ),
    "ControllerRevision": ("Name, Controller, Revision, Age", _controller_revision),
    "Service": ("Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector*", _service),
    "Event": (
        "Last Seen, Type, Reason, Object, Subobject*, Source*, Message, First Seen*, Count*, Name*", _event,
    ),
    "Node": (
        ("Name, Status, Roles, Age, Version, Internal-IP*, External-IP*, OS-Image*, Kernel-Version*,"
        " Container-Runtime*"),
        _node,
    ),
    "Namespace": ("Name, Status, Age", _namespace),
    "ConfigMap": ("Name, Data, Age", _config_map),
    "Secret": ("Name, Type, Data, Age", _secret),
    "ServiceAccount": ("Name, Age", _aged),
    "Lease": ("Name, Holder, Age", _lease),
    "PersistentVolumeClaim": (
        "Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode*", _claim,
    ),
    "HorizontalPodAutoscaler": ("Name, Reference, Targets, MinPods, MaxPods, Replicas, Age", _autoscaler),
    "PodDisruptionBudget": ("Name, Min Available, Max Unavailable, Allowed Disruptions:i, Age", _budget),
    "Endpoints": ("Name, Endpoints, Age", _endpoints),
    "EndpointSlice": ("Name, AddressType, Ports, Endpoints, Age", _endpoint_slice),
}  # fmt: skip

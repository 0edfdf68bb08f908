"""The tables of the native kinds, as data (sandbox-apiserver.md TB4).

A column is `Title=cell`, with `:i` or `:d` behind the title for its type and `*` where it shows with `-o wide` only. A cell is
the path of a text, `#` and the path of a number, or the name of a function below; without one it goes by its title.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of, owner_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.tables import batch, governance, network
from kubectl_kruise.sandbox.tables.ages import UNKNOWN, age
from kubectl_kruise.sandbox.tables.governance import access_modes
from kubectl_kruise.sandbox.tables.pods import NONE, met_gates, pod_status, ready_containers, restarts
from kubectl_kruise.sandbox.tables.shape import TableShape, column

Cell = Callable[[Raw, datetime], Any]

_SPEC_PODS: Final = "Containers*, Images*"
ROWS: Final = {
    "Pod": "Name, Ready=ready_containers, Status=pod_status, Restarts=restarts, Age, IP*=pod_ip, Node*=node,"
    " Nominated Node*=nominated, Readiness Gates*=gates",
    "Deployment": "Name, Ready=ready, Up-to-date=#status.updatedReplicas, Available=#status.availableReplicas, Age,"
    f" {_SPEC_PODS}, Selector*",
    "ReplicaSet": "Name, Desired:i=#spec.replicas, Current:i=#status.replicas, Ready:i=#status.readyReplicas, Age,"
    f" {_SPEC_PODS}, Selector*",
    "StatefulSet": f"Name, Ready=ready, Age, {_SPEC_PODS}",
    "DaemonSet": "Name, Desired:i=#status.desiredNumberScheduled, Current:i=#status.currentNumberScheduled,"
    " Ready:i=#status.numberReady, Up-to-date:i=#status.updatedNumberScheduled, Available:i=#status.numberAvailable,"
    f" Node Selector=node_selector, Age, {_SPEC_PODS}, Selector*",
    "ControllerRevision": "Name, Controller=owner, Revision=#revision, Age",
    "Service": "Name, Type=spec.type, Cluster-IP=address, External-IP=external, Port(s)=ports, Age, Selector*=chosen_pods",
    "Event": "Last Seen=last_seen, Type=type, Reason=reason, Object=subject, Subobject*=involvedObject.fieldPath,"
    " Source*=source, Message=message, First Seen*=first_seen, Count*=count, Name*",
    "events.k8s.io Event": "Last Seen=last_noted, Type=type, Reason=reason, Object=regarding,"
    " Subobject*=regarding.fieldPath, Source*=noted_source, Message=noted_text, First Seen*=first_noted,"
    " Count*=noted_count, Name*",
    "Node": "Name, Status=node_status, Roles=roles, Age, Version=status.nodeInfo.kubeletVersion, Internal-IP*=internal_ip,"
    " External-IP*=external_ip, OS-Image*=os, Kernel-Version*=kernel, Container-Runtime*=runtime",
    "Namespace": "Name, Status=status.phase, Age",
    "ConfigMap": "Name, Data=entries, Age",
    "Secret": "Name, Type=type, Data=entries, Age",
    "ServiceAccount": "Name, Age",
    "Lease": "Name, Holder=spec.holderIdentity, Age",
    "PersistentVolumeClaim": "Name, Status=claim_status, Volume=spec.volumeName, Capacity=capacity, Access Modes=modes,"
    " StorageClass=spec.storageClassName, VolumeAttributesClass=attributes, Age, VolumeMode*=spec.volumeMode",
    "HorizontalPodAutoscaler": "Name, Reference=target, Targets=metrics, MinPods=least, MaxPods=#spec.maxReplicas,"
    " Replicas=#status.currentReplicas, Age",
    "PodDisruptionBudget": "Name, Min Available=min_available, Max Unavailable=max_unavailable,"
    " Allowed Disruptions:i=#status.disruptionsAllowed, Age",
    "ReplicationController": "Name, Desired:i=#spec.replicas, Current:i=#status.replicas, Ready:i=#status.readyReplicas,"
    f" Age, {_SPEC_PODS}, Selector*=chosen_pods",
    "PodTemplate": "Name, Containers=template_containers, Images=template_images, Pod Labels=template_labels",
    "Job": f"Name, Status=job_status, Completions=completions, Duration=duration, Age, {_SPEC_PODS}, Selector*",
    "CronJob": "Name, Schedule=spec.schedule, Timezone=time_zone, Suspend:b=suspended, Active:i=active_jobs,"
    " Last Schedule=last_schedule, Age, Containers*=job_containers, Images*=job_images, Selector*",
    "Endpoints": "Name, Endpoints=endpoints, Age",
    "EndpointSlice": "Name, AddressType=addressType, Ports=slice_ports, Endpoints=slice_endpoints, Age",
    "Ingress": "Name, Class=ingress_class, Hosts=hosts, Address=ingress_address, Ports=ingress_ports, Age",
    "IngressClass": "Name, Controller=spec.controller, Parameters=parameters, Age",
    "NetworkPolicy": "Name, Pod-Selector=policy_pods, Age",
    "PersistentVolume": "Name, Capacity=spec.capacity.storage, Access Modes=volume_modes,"
    " Reclaim Policy=spec.persistentVolumeReclaimPolicy, Status=volume_status, Claim=claim,"
    " StorageClass=spec.storageClassName, VolumeAttributesClass=volume_attributes, Reason=status.reason, Age,"
    " VolumeMode*=volume_mode",
    "ResourceQuota": "Name, Request=quota_requests, Limit=quota_limits, Age",
    "RoleBinding": "Name, Role=role, Age, Users*=users, Groups*=groups, ServiceAccounts*=accounts",
    "ClusterRoleBinding": "Name, Role=role, Age, Users*=users, Groups*=groups, ServiceAccounts*=accounts",
    "PriorityClass": "Name, Value:i=#value, Global-Default:b=is_default, Age, PreemptionPolicy=preemptionPolicy",
    "StorageClass": "Name, Provisioner=provisioner, ReclaimPolicy=reclaimPolicy, VolumeBindingMode=volumeBindingMode,"
    " AllowVolumeExpansion=expansion, Age",
    "MutatingWebhookConfiguration": "Name, Webhooks:i=webhooks, Age",
    "ValidatingWebhookConfiguration": "Name, Webhooks:i=webhooks, Age",
}
_OTHERS: Final = "Name, Created At:d=metadata.creationTimestamp"
_TYPES: Final = {"": "string", "i": "integer", "d": "date", "b": "boolean"}
_ROLE: Final = "node-role.kubernetes.io/"


def native_table(api_version: str, kind: str) -> TableShape:
    """Give the table of a kind; name and time of creation for those without columns of their own."""
    columns, cells = [], []
    key = "events.k8s.io Event" if api_version == "events.k8s.io/v1" else kind
    for part in ROWS.get(key, _OTHERS).split(", "):
        title, _, cell = part.partition("=")
        name, _, form = title.rstrip("*").partition(":")
        columns.append(column(name, _TYPES[form], wide=title.endswith("*")))
        cells.append(_cell(cell or name.lower()))
    return TableShape(columns, lambda obj, now: [read(obj, now) for read in cells])


def _cell(text: str) -> Cell:
    if text in _CELLS:
        return _CELLS[text]
    path, zero = tuple(text.removeprefix("#").split(".")), 0 if text.startswith("#") else ""
    return lambda obj, _: dig(obj, path, zero)


def _pairs(labels: Raw | None) -> str:
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) if labels else NONE


def _of_containers(field: str, root: tuple[str, ...] = ("spec",)) -> Cell:
    at = (*root, "template", "spec", "containers")
    return lambda obj, _: ",".join(found.get(field, "") for found in dig(obj, at, []))


def _owner(obj: Raw, _: datetime) -> str:
    owner = owner_of(obj)
    if owner is None:
        return NONE
    group, kind = owner.get("apiVersion", "").rpartition("/")[0], owner.get("kind", "").lower()
    return f"{kind}.{group}/{owner.get('name')}" if group else f"{kind}/{owner.get('name')}"


def _port(port: Raw) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}"


def _external(obj: Raw, _: datetime) -> str:
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


def _last_seen(obj: Raw, now: datetime) -> str:
    repeated = dig(obj, ("series", "lastObservedTime"))
    return age(repeated or obj.get("lastTimestamp") or obj.get("eventTime"), now)


def _first_seen(obj: Raw, now: datetime) -> str:
    return age(obj.get("firstTimestamp") or obj.get("eventTime"), now)


def _count(obj: Raw) -> int:
    return dig(obj, ("series", "count")) or obj.get("count") or 1


def _subject(reference: Raw) -> str:
    return f"{reference.get('kind', '').lower()}/{reference.get('name', '')}"


def _as_core(obj: Raw) -> Raw:
    """Give an event of events.k8s.io with the names of the core group, as far as cells read them."""
    old = {"deprecatedSource": "source", "reportingController": "reportingComponent"}
    old |= {
        f"deprecated{name[0].upper()}{name[1:]}": name
        for name in ("firstTimestamp", "lastTimestamp", "count")
    }
    return obj | {old[key]: value for key, value in obj.items() if key in old}


def _source(obj: Raw, _: datetime) -> str:
    source = obj.get("source") or {}
    return ", ".join(
        filter(None, (source.get("component") or obj.get("reportingComponent"), source.get("host")))
    )


def _node_status(obj: Raw, _: datetime) -> str:
    ready = (condition(obj, "Ready") or {}).get("status")
    state = "Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"
    return f"{state},SchedulingDisabled" if dig(obj, ("spec", "unschedulable")) else state


def _roles(obj: Raw, _: datetime) -> str:
    labels = labels_of(obj)
    roles = sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE)
    return ",".join([*roles, *filter(None, (labels.get("kubernetes.io/role"),))]) or NONE


def _address(kind: str) -> Cell:
    def read(obj: Raw, _: datetime) -> str:
        addresses = dig(obj, ("status", "addresses"), [])
        return next((found["address"] for found in addresses if found.get("type") == kind), NONE)

    return read


def _or(zero: str, *path: str) -> Cell:
    """Read a value as text, `zero` where there is none."""
    return lambda obj, _: zero if (value := dig(obj, path)) in (None, "") else str(value)


def _claim_status(obj: Raw, _: datetime) -> str:
    going = dig(obj, ("metadata", "deletionTimestamp"))
    return "Terminating" if going else str(dig(obj, ("status", "phase"), ""))


def _once_bound(read: Callable[[Raw], str]) -> Cell:
    return lambda obj, _: read(obj.get("status") or {}) if dig(obj, ("spec", "volumeName")) else ""


def _metrics(obj: Raw, _: datetime) -> str:
    """Write the targets of an autoscaler; the sandbox has no metrics, so that current values are unknown."""
    shown = []
    for metric in dig(obj, ("spec", "metrics"), []):
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


_CELLS: Final[dict[str, Cell]] = {
    "ready_containers": ready_containers,
    "pod_status": lambda obj, _: pod_status(obj),
    "restarts": restarts,
    "pod_ip": _or(NONE, "status", "podIP"),
    "node": _or(NONE, "spec", "nodeName"),
    "nominated": _or(NONE, "status", "nominatedNodeName"),
    "gates": met_gates,
    "name": lambda obj, _: name_of(obj),
    "age": lambda obj, now: age(dig(obj, ("metadata", "creationTimestamp")), now),
    "containers": _of_containers("name"),
    "images": _of_containers("image"),
    "selector": lambda obj, _: str(selector_of(dig(obj, ("spec", "selector"), {}))) or NONE,
    "ready": lambda obj, _: f"{dig(obj, ('status', 'readyReplicas'), 0)}/{dig(obj, ('spec', 'replicas'), 0)}",
    "entries": lambda obj, _: len(obj.get("data") or ()) + len(obj.get("binaryData") or ()),
    "owner": _owner,
    "node_selector": lambda obj, _: _pairs(dig(obj, ("spec", "template", "spec", "nodeSelector"))),
    "address": _or(NONE, "spec", "clusterIP"),
    "external": _external,
    "ports": lambda obj, _: ",".join(map(_port, dig(obj, ("spec", "ports"), []))) or NONE,
    "chosen_pods": lambda obj, _: _pairs(dig(obj, ("spec", "selector"))),
    "last_seen": _last_seen,
    "last_noted": lambda obj, now: _last_seen(_as_core(obj), now),
    "first_noted": lambda obj, now: _first_seen(_as_core(obj), now),
    "regarding": lambda obj, _: _subject(obj.get("regarding") or {}),
    "noted_source": lambda obj, now: _source(_as_core(obj), now),
    "noted_text": lambda obj, _: obj.get("note", "").strip(),
    "noted_count": lambda obj, _: _count(_as_core(obj)),
    "first_seen": _first_seen,
    "subject": lambda obj, _: _subject(obj.get("involvedObject") or {}),
    "source": _source,
    "message": lambda obj, _: obj.get("message", "").strip(),
    "count": lambda obj, _: _count(obj),
    "node_status": _node_status,
    "roles": _roles,
    "internal_ip": _address("InternalIP"),
    "external_ip": _address("ExternalIP"),
    "os": _or(UNKNOWN, "status", "nodeInfo", "osImage"),
    "kernel": _or(UNKNOWN, "status", "nodeInfo", "kernelVersion"),
    "runtime": _or(UNKNOWN, "status", "nodeInfo", "containerRuntimeVersion"),
    "claim_status": _claim_status,
    "capacity": _once_bound(lambda status: dig(status, ("capacity", "storage"), "")),
    "modes": _once_bound(lambda status: access_modes(status.get("accessModes"))),
    "attributes": _or("<unset>", "spec", "volumeAttributesClassName"),
    "target": lambda obj, _: "/".join(
        str(dig(obj, ("spec", "scaleTargetRef", part))) for part in ("kind", "name")
    ),
    "metrics": _metrics,
    "least": _or("<unset>", "spec", "minReplicas"),
    "min_available": _or("N/A", "spec", "minAvailable"),
    "max_unavailable": _or("N/A", "spec", "maxUnavailable"),
    "template_containers": _of_containers("name", ()),
    "template_images": _of_containers("image", ()),
    "template_labels": lambda obj, _: _pairs(dig(obj, ("template", "metadata", "labels"))),
    **batch.CELLS,
    **network.CELLS,
    **governance.CELLS,
}

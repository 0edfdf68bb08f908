"""Our world's settled state, reduced as the recordings reduce theirs."""

from collections.abc import Mapping
from typing import Any

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.kinds import Kind
from tests.conformance.comparing.normalise import NAMESPACE, Names, normalise

Observed = dict[str, Any]


def observe(
    cluster: Cluster, workloads: Mapping[Kind, str], names: Names, *, native: bool = False
) -> Observed:
    """Give what a recording's `state` holds; workloads in the versions given, `native` ones as those recordings do."""
    shown = _native_workload if native else _workload
    state = {
        "workloads": [
            shown(raw, kind) for kind, version in workloads.items() for raw in _items(cluster, kind, version)
        ],
        "pods": [_pod(raw) for raw in _items(cluster, kinds.POD)],
        "revisions": [_revision(raw) for raw in _items(cluster, kinds.CONTROLLER_REVISION)],
        "claims": [_claim(raw) for raw in _items(cluster, kinds.PVC)],
        "pullJobs": [_pull_job(raw) for raw in _items(cluster, kinds.IMAGE_PULL_JOB)],
        "budgets": [_budget(raw) for raw in _items(cluster, kinds.POD_UNAVAILABLE_BUDGET)],
    }
    state["revisions"].sort(key=lambda revision: (revision["revision"], revision["name"]))
    return normalise(state, names)


def plural_of(kind: Kind) -> str:
    """Give the plural by which recordings name a kind: a native one that Kruise has as well carries a prefix."""
    return f"native.{kind.plural}" if kind is kinds.NATIVE_STATEFULSET else kind.plural


def observe_events(cluster: Cluster, names: Names) -> list[list[str]]:
    found = [
        [
            event["involvedObject"]["kind"],
            event["involvedObject"]["name"],
            event["type"],
            event["reason"],
            event["message"],
        ]
        for event in _items(cluster, kinds.EVENT)
    ]
    return normalise(sorted(found), names)


def _items(cluster: Cluster, kind: Kind, version: str = "") -> list[Any]:
    return cluster.list(kind.path(NAMESPACE, version=version))["items"]


def _workload(raw: Any, kind: Kind) -> Any:
    meta = raw["metadata"]
    return {
        "kind": kind.kind,
        "name": meta["name"],
        "generation": meta.get("generation"),
        "labels": meta.get("labels"),
        "annotations": meta.get("annotations"),
        "spec": {key: value for key, value in raw["spec"].items() if key != "template"},
        "status": raw.get("status"),
    }


def _native_workload(raw: Any, kind: Kind) -> Any:
    owners = raw["metadata"].get("ownerReferences") or []
    return _workload(raw, kind) | {
        "kind": plural_of(kind),
        "owner": [f"{owner['kind']}/{owner['name']}" for owner in owners],
    }


def _pod(raw: Any) -> Any:
    meta, spec, status = raw["metadata"], raw["spec"], raw.get("status", {})
    owner = next((o for o in meta.get("ownerReferences") or [] if o.get("controller")), None)
    return {
        "name": meta["name"],
        "labels": meta.get("labels"),
        "annotations": meta.get("annotations"),
        "owner": f"{owner['kind']}/{owner['name']}" if owner else None,
        "finalizers": meta.get("finalizers"),
        "deleting": "deletionTimestamp" in meta,
        "phase": status.get("phase"),
        "node": spec.get("nodeName"),
        "images": {container["name"]: container["image"] for container in spec["containers"]},
        "readinessGates": [gate["conditionType"] for gate in spec.get("readinessGates") or []],
        "conditions": {c["type"]: c["status"] for c in status.get("conditions") or []},
        "waiting": {
            c["name"]: waiting["reason"]
            for c in status.get("containerStatuses") or []
            if (waiting := (c.get("state") or {}).get("waiting")) is not None
        },
        "restarts": {c["name"]: c["restartCount"] for c in status.get("containerStatuses") or []},
        "hostname": spec.get("hostname"),
        "subdomain": spec.get("subdomain"),
        "volumes": [
            {
                "name": volume["name"],
                "persistentVolumeClaim": {"claimName": volume["persistentVolumeClaim"]["claimName"]},
            }
            for volume in spec.get("volumes") or []
            if "persistentVolumeClaim" in volume
        ],
        "resources": {c["name"]: c.get("resources") for c in spec["containers"]},
        "statusResources": {c["name"]: c.get("resources") for c in status.get("containerStatuses") or []},
        "qos": status.get("qosClass"),
        "ownerVersions": [o["apiVersion"] for o in meta.get("ownerReferences") or []],
    }


def _revision(raw: Any) -> Any:
    meta = raw["metadata"]
    return {
        "name": meta["name"],
        "revision": raw["revision"],
        "labels": meta.get("labels"),
        "annotations": meta.get("annotations"),
        "data": raw["data"],
    }


def _claim(raw: Any) -> Any:
    meta = raw["metadata"]
    return {
        "name": meta["name"],
        "labels": meta.get("labels"),
        "owners": [f"{owner['kind']}/{owner['name']}" for owner in meta.get("ownerReferences") or []],
        "deleting": "deletionTimestamp" in meta,
        "annotations": meta.get("annotations"),
        "storage": raw["spec"].get("resources", {}).get("requests", {}).get("storage"),
    }


def _pull_job(raw: Any) -> Any:
    meta = raw["metadata"]
    return {
        "name": meta["name"],
        "labels": meta.get("labels"),
        "owners": [
            f"{owner['apiVersion']} {owner['kind']}/{owner['name']}"
            for owner in meta.get("ownerReferences") or []
        ],
        "spec": raw["spec"],
    }


def _budget(raw: Any) -> Any:
    """Give a budget without the revision of its spec that the status was made for."""
    status = {key: value for key, value in (raw.get("status") or {}).items() if key != "observedGeneration"}
    return {"name": raw["metadata"]["name"], "spec": raw["spec"], "status": status}

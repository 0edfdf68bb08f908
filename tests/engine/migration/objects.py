"""The objects of one migration, as small as the machine needs them."""

import copy
from typing import Any

from kubectl_kruise.facts.names import MIGRATE_HOLD, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.raw import Raw, controller_reference

HASH = "7cffcc7b48"
REVISION = "web-557f55d569"
LOCK = {"scaleStrategy": {"maxUnavailable": 0}, "updateStrategy": {"paused": True}}


def deployment(uid: str = "d", *, going: bool = False, paused: bool = False, updated: int = 2) -> Raw:
    return _object("Deployment", "apps/v1", "web", uid, going=going) | {
        "spec": {"replicas": 2, "paused": paused, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"observedGeneration": 1, "updatedReplicas": updated},
    }


def replicaset(owner: str = "", *, uid: str = "r", going: bool = False, hold: bool = False) -> Raw:
    made = _object("ReplicaSet", "apps/v1", f"web-{HASH}", uid, going=going) | {"spec": {"replicas": 2}}
    if owner:
        made["metadata"]["ownerReferences"] = [controller_reference("apps/v1", "Deployment", "web", owner)]
    if hold:
        made["metadata"]["finalizers"] = ["example.com/other", MIGRATE_HOLD]
    return made


def cloneset(*, lock: bool = True, revision: str = REVISION, observed: int = 1, going: bool = False) -> Raw:
    made = _object("CloneSet", "apps.kruise.io/v1alpha1", "web", "c", going=going)
    spec: dict[str, Any] = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}}
    status = {"observedGeneration": observed, "updateRevision": revision}
    return made | {"spec": spec | (copy.deepcopy(LOCK) if lock else {}), "status": status}


def pod(name: str, *owners: str, template_hash: str = HASH, **labels: str | None) -> Raw:
    """Give a ready pod `web-name` of this uid; the first of its owners is its controller."""
    made = _object("Pod", "v1", f"web-{name}", name)
    kept = {key: value for key, value in {TEMPLATE_HASH_LABEL: template_hash, **labels}.items() if value}
    made["metadata"]["labels"] = {"app": "web", **kept}
    references = [controller_reference("apps/v1", "ReplicaSet", "web", uid) for uid in owners]
    for reference in references[1:]:
        del reference["controller"]
    if references:
        made["metadata"]["ownerReferences"] = references
    conditions = [{"type": "Ready", "status": "True"}]
    return made | {"spec": {"containers": []}, "status": {"phase": "Running", "conditions": conditions}}


def _object(kind: str, version: str, name: str, uid: str, *, going: bool = False) -> Raw:
    meta: dict[str, Any] = {"name": name, "uid": uid, "generation": 1, "resourceVersion": "7"}
    if going:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {"apiVersion": version, "kind": kind, "metadata": meta}

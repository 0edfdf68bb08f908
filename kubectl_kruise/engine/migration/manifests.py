"""Manifests that bring back a deleted object as it was, or make one that takes over pods (migration.md §4.1, §5.3)."""

import copy
from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.facts.names import (
    DEPLOYMENT_REVISION,
    LAST_APPLIED,
    MIGRATE_ID,
    MIGRATE_SOURCE,
    MIGRATE_STRATEGY,
    TEMPLATE_HASH_LABEL,
)
from kubectl_kruise.objects.raw import Raw, dig, labels_of, metadata, name_of, put

_KEPT: Final = ("name", "labels", "annotations")


def manifest_of(live: Raw, *, uid: bool = False) -> Raw:
    """Give what has to be sent to have an object again; with `uid` also who it was.

    ReplicaSets keep the number of their revision, so that the history is what it was; a Deployment counts anew.
    """
    kept = (*_KEPT, "uid") if uid else _KEPT
    meta = {key: copy.deepcopy(value) for key, value in metadata(live).items() if key in kept}
    if live["kind"] == DEPLOYMENT.kind and (annotations := meta.get("annotations")):
        annotations.pop(DEPLOYMENT_REVISION, None)
    return {
        "apiVersion": live["apiVersion"],
        "kind": live["kind"],
        "metadata": meta,
        "spec": copy.deepcopy(live["spec"]),
    }


def as_manifest(live: Raw) -> Raw:
    """Give an object as a manifest would hold it: without what the server writes."""
    made = {key: copy.deepcopy(value) for key, value in live.items() if key != "status"}
    kept = ("name", "namespace", "labels", "annotations")
    made["metadata"] = {key: value for key, value in metadata(made).items() if key in kept}
    annotations = made["metadata"].get("annotations") or {}
    annotations.pop(LAST_APPLIED, None)
    if not annotations:
        made["metadata"].pop("annotations", None)
    return made


def replicaset_for(deployment: Raw, template_hash: str) -> Raw:
    """Give the ReplicaSet that takes pods of this hash and that the Deployment will know as its own.

    `deployment` is as the server would store it: its template has the defaults filled in.
    """
    template = copy.deepcopy(dig(deployment, ("spec", "template")))
    put(template, ("metadata", "labels", TEMPLATE_HASH_LABEL), template_hash)
    selector = copy.deepcopy(dig(deployment, ("spec", "selector")))
    put(selector, ("matchLabels", TEMPLATE_HASH_LABEL), template_hash)
    spec = {"replicas": dig(deployment, ("spec", "replicas"), 1), "selector": selector, "template": template}
    if ready := dig(deployment, ("spec", "minReadySeconds")):
        spec["minReadySeconds"] = ready
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": f"{name_of(deployment)}-{template_hash}", "labels": dict(labels_of(template))},
        "spec": spec,
    }


def same_template(deployment: Raw, replicaset: Raw) -> bool:
    """Say whether a ReplicaSet has the template of a Deployment, whatever hash stands in either."""
    mine, theirs = (copy.deepcopy(dig(each, ("spec", "template"), {})) for each in (deployment, replicaset))
    for template in (mine, theirs):
        dig(template, ("metadata", "labels"), {}).pop(TEMPLATE_HASH_LABEL, None)
    return bool(mine == theirs)


def bookkeeping(journal: Journal) -> dict[str, str]:
    """Give the annotations that tell whose a workload of Kruise is, and where it came from."""
    source = journal.source
    made = {MIGRATE_ID: journal.id, MIGRATE_SOURCE: f"{source.kind}/{source.name}/{source.uid}"}
    if dig(journal.source_manifest, ("spec", "strategy", "type")) == "Recreate":
        made[MIGRATE_STRATEGY] = "Recreate"
    return made

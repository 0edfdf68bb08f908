"""Pods and claims of a native StatefulSet: how they are made, and how their names and volumes are put right (SS3)."""

from kubectl_kruise.engine.statefulset.ordinals import (
    POD_INDEX_LABEL,
    POD_NAME_LABEL,
    claim_name,
    identity_matches,
    split_name,
    storage_matches,
)
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET
from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.raw import Raw, dig, labels_of, metadata, name_of
from kubectl_kruise.sandbox.simulation.ownership import owner_reference
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet


def ordinal_of(pod: Raw) -> int:
    """Give the number at the end of the pod's name, -1 for none that can be read."""
    return split_name(name_of(pod)).ordinal


def new_pod(view: NativeSet, template: Raw, revision: str, ordinal: int) -> Raw:
    """Give the pod of an ordinal as it is sent, with the template of the revision."""
    given = template.get("metadata") or {}
    meta = {part: given[part] for part in ("annotations", "finalizers") if given.get(part)}
    meta |= {
        "name": f"{view.name}-{ordinal}",
        "generateName": f"{view.name}-",
        "namespace": view.namespace,
        "labels": {**(given.get("labels") or {}), REVISION_LABEL: revision},
        "ownerReferences": [owner_reference(NATIVE_STATEFULSET, view.raw)],
    }
    spec = {**(template.get("spec") or {}), "hostname": meta["name"]}
    spec.pop("subdomain", None)
    if view.service:
        spec["subdomain"] = view.service
    return _with_storage(
        view, _with_identity({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    )


def matches(view: NativeSet, pod: Raw) -> bool:
    """Say whether the pod's labels and volumes are those of its ordinal; the label with the index is not looked at."""
    return _named(view, pod) and stores(view, pod)


def stores(view: NativeSet, pod: Raw) -> bool:
    """Say whether the pod has the claim of its ordinal behind the volume of every claim template."""
    return storage_matches(pod, view.name, ordinal_of(pod), [*map(name_of, view.claim_templates)])


def corrected(view: NativeSet, pod: Raw) -> Raw:
    """Give the pod with the labels and volumes of its ordinal."""
    if not _named(view, pod):
        pod = _with_identity(pod)
    return pod if stores(view, pod) else _with_storage(view, pod)


def claims_of(view: NativeSet, ordinal: int) -> list[Raw]:
    """Give the claims of an ordinal as they are sent: the template with the labels that the selector names."""
    wanted = dig(view.raw, ("spec", "selector", "matchLabels"), {})
    claims = []
    for template in view.claim_templates:
        name = claim_name(name_of(template), view.name, ordinal)
        meta = {**metadata(template), "name": name, "namespace": view.namespace}
        if labels := {**labels_of(template), **wanted}:
            meta["labels"] = labels
        claims.append({**template, "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta})
    return claims


def _named(view: NativeSet, pod: Raw) -> bool:
    return identity_matches(pod, view.name, view.namespace, ordinal_of(pod))


def _with_identity(pod: Raw) -> Raw:
    name = name_of(pod)
    labels = {**labels_of(pod), POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal_of(pod))}
    return {**pod, "metadata": {**metadata(pod), "labels": labels}}


def _with_storage(view: NativeSet, pod: Raw) -> Raw:
    """Put the volumes of the claims before the pod's own; a claim wins over a volume of its name."""
    ordinal = ordinal_of(pod)
    claims = {
        template: claim_name(template, view.name, ordinal) for template in map(name_of, view.claim_templates)
    }
    own = [volume for volume in dig(pod, ("spec", "volumes"), []) if volume.get("name") not in claims]
    volumes = [
        {"name": template, "persistentVolumeClaim": {"claimName": claim}}
        for template, claim in claims.items()
    ]
    return {**pod, "spec": {**pod["spec"], "volumes": [*volumes, *own]}} if claims else pod

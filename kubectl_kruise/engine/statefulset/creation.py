"""New pods of a set (advanced-statefulset.md §9 [I-3], [I-4])."""

from kubectl_kruise.engine.revisions.content import recorded_template
from kubectl_kruise.engine.statefulset.ordinals import (
    POD_INDEX_LABEL,
    POD_NAME_LABEL,
    claim_name,
    pod_name,
    split_name,
)
from kubectl_kruise.engine.statefulset.view import GROUP_VERSION, AdvancedStatefulSet
from kubectl_kruise.engine.volumes import with_claim_volumes
from kubectl_kruise.facts.names import REVISION_LABEL, STATE_LABEL, STATE_TIMESTAMP
from kubectl_kruise.objects.pod import NORMAL, PREPARING_NORMAL, all_hooked
from kubectl_kruise.objects.raw import Raw, controller_reference, name_of


def owner_reference(view: AdvancedStatefulSet) -> Raw:
    """Give the controller reference that pods and revisions of a set carry."""
    return controller_reference(GROUP_VERSION, "StatefulSet", view.name, view.uid)


def new_pod(view: AdvancedStatefulSet, revision: Raw, ordinal: int, now: str) -> Raw:
    """Build the pod of an ordinal from a ControllerRevision; `now` is RFC 3339 text."""
    template = recorded_template(revision.get("data") or {})
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    name = pod_name(view.name, ordinal)
    ordinal = abs(ordinal)  # a negative one is read back from the name as its positive one
    pod_meta: Raw = {
        "name": name,
        "generateName": f"{view.name}-",
        "namespace": view.namespace,
        "labels": {
            **(meta.get("labels") or {}),
            **_identity_labels(view, name, ordinal),
            REVISION_LABEL: name_of(revision),
        },
        "annotations": {**(meta.get("annotations") or {}), STATE_TIMESTAMP: now},
        "ownerReferences": [owner_reference(view)],
    }
    if finalizers := meta.get("finalizers"):
        pod_meta["finalizers"] = list(finalizers)
    pod: Raw = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": pod_meta,
        "spec": _spec(view, spec, name, ordinal),
    }
    hook = view.hook("preNormal")
    waits = hook is not None and not all_hooked(hook, pod)
    pod_meta["labels"][STATE_LABEL] = PREPARING_NORMAL if waits else NORMAL
    return pod


def with_identity(view: AdvancedStatefulSet, pod: Raw) -> Raw:
    """Give the pod with the labels and the volumes of its place in the set, as a repair writes it ([I-7])."""
    ordinal = split_name(name_of(pod)).ordinal
    name = pod_name(view.name, ordinal)
    meta = {**(pod.get("metadata") or {}), "name": name, "namespace": view.namespace}
    meta["labels"] = {**(meta.get("labels") or {}), **_identity_labels(view, name, ordinal)}
    spec = with_claim_volumes(pod.get("spec") or {}, _claims(view, ordinal))
    return {**pod, "metadata": meta, "spec": spec}


def _identity_labels(view: AdvancedStatefulSet, name: str, ordinal: int) -> dict[str, str]:
    """Give the labels that say which pod of the set one is; its index only under gate PodIndexLabel."""
    labels = {POD_NAME_LABEL: name}
    if view.gates.pod_index_label:
        labels[POD_INDEX_LABEL] = str(ordinal)
    return labels


def _claims(view: AdvancedStatefulSet, ordinal: int) -> dict[str, str]:
    """Give the names of a pod's claims by those of their templates, in order."""
    return {template: claim_name(template, view.name, ordinal) for template in view.claim_names}


def _spec(view: AdvancedStatefulSet, spec: Raw, name: str, ordinal: int) -> Raw:
    """Give the spec with the names of its place: those that the template has do not count, even for no service."""
    made = {key: value for key, value in spec.items() if key != "subdomain"} | {"hostname": name}
    if view.service_name:
        made["subdomain"] = view.service_name
    return with_claim_volumes(made, _claims(view, ordinal)) if view.claim_templates else made

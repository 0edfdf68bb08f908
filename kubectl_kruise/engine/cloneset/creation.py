"""New pods, their instance ids and their volume claims (cloneset.md §12)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.inplace.execution import revision_labels
from kubectl_kruise.engine.revisions.content import recorded_template
from kubectl_kruise.engine.volumes import with_claim_volumes
from kubectl_kruise.facts.names import IN_PLACE_READY, INSTANCE_ID_LABEL, STATE_LABEL, STATE_TIMESTAMP
from kubectl_kruise.objects.pod import PREPARING_NORMAL
from kubectl_kruise.objects.raw import Raw, controller_reference, labels_of, metadata, name_of

ID_LENGTH: Final = 5
_LONGEST_NAME: Final = 253


class NewPod(NamedTuple):
    """A pod to be created and the claims that have to be there before it."""

    pod: Raw
    claims: tuple[Raw, ...]


def pick_instance_ids(
    count: int, *, pods: Iterable[Raw], active: Iterable[Raw], claims: Iterable[Raw], draw: Callable[[], str]
) -> tuple[str, ...]:
    """Give `count` ids in order: first those of claims that no active pod uses, then drawn ones (§12.1).

    `draw` gives a random id; ids that a listed pod or claim has are drawn again.
    """
    on_claims = _ids(claims)
    chosen = set(sorted(on_claims - _ids(active))[:count])
    taken = on_claims | _ids(pods)
    while len(chosen) < count:
        if (drawn := draw()) not in taken:
            chosen.add(drawn)
    return tuple(sorted(chosen))


def owner_reference(view: CloneSet) -> Raw:
    """Give the controller reference that everything a CloneSet makes carries."""
    return controller_reference(view.api_version, "CloneSet", view.name, view.uid)


def new_pod(
    view: CloneSet, revision: Raw, instance_id: str, existing_claims: Collection[str], now: str
) -> NewPod:
    """Build a pod of the revision; `existing_claims` are names, `now` is RFC 3339 text (§12.2, §12.3)."""
    template = recorded_template(revision.get("data") or {})
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    names = {name_of(claim): f"{name_of(claim)}-{view.name}-{instance_id}" for claim in view.claim_templates}
    pod_meta: Raw = {
        "name": f"{view.name}-{instance_id}",
        "generateName": f"{view.name}-" if len(view.name) < _LONGEST_NAME else view.name,
        "namespace": view.namespace,
        "labels": {
            **(meta.get("labels") or {}),
            **revision_labels(name_of(revision), short=view.gates.short_hash),
            INSTANCE_ID_LABEL: instance_id,
            STATE_LABEL: PREPARING_NORMAL,
        },
        "annotations": {**(meta.get("annotations") or {}), STATE_TIMESTAMP: now},
        "ownerReferences": [owner_reference(view)],
    }
    if finalizers := meta.get("finalizers"):
        pod_meta["finalizers"] = list(finalizers)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": pod_meta, "spec": _pod_spec(spec, names)}
    claims = tuple(
        _claim(view, claim, names[name_of(claim)], instance_id)
        for claim in view.claim_templates
        if names[name_of(claim)] not in existing_claims
    )
    return NewPod(pod, claims)


def _pod_spec(spec: Raw, claims: Mapping[str, str]) -> Raw:
    """Add the readiness gate of in-place updates, and one volume per claim before the template's own."""
    gates: Sequence[Raw] = spec.get("readinessGates") or []
    if all(gate.get("conditionType") != IN_PLACE_READY for gate in gates):
        gates = [*gates, {"conditionType": IN_PLACE_READY}]
    return with_claim_volumes({**spec, "readinessGates": list(gates)}, claims)


def _claim(view: CloneSet, template: Raw, name: str, instance_id: str) -> Raw:
    labels = {
        **labels_of(template),
        **(view.selector.get("matchLabels") or {}),
        INSTANCE_ID_LABEL: instance_id,
    }
    meta: Raw = {
        "name": name,
        "namespace": view.namespace,
        "labels": labels,
        "ownerReferences": [owner_reference(view)],
    }
    if annotations := metadata(template).get("annotations"):
        meta["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": meta,
        "spec": template.get("spec") or {},
    }


def _ids(objects: Iterable[Raw]) -> set[str]:
    found = (labels_of(raw).get(INSTANCE_ID_LABEL, "") for raw in objects)
    return {instance_id for instance_id in found if instance_id}

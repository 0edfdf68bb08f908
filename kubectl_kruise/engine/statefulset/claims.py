"""Volume claims of a set: made, handed over, and grown (advanced-statefulset.md §16)."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from kubectl_kruise.engine.statefulset.ordinals import claim_name, split_name
from kubectl_kruise.engine.statefulset.view import GROUP_VERSION, RETAIN, AdvancedStatefulSet
from kubectl_kruise.facts.kinds import PVC, STATEFULSET
from kubectl_kruise.facts.names import OWNED_BY_STATEFULSET
from kubectl_kruise.objects.condition import condition_true
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    uid_of,
)

DELETE: Final = "Delete"
_REQUEST: Final = ("spec", "resources", "requests", "storage")
_CAPACITY: Final = ("status", "capacity", "storage")

Lookup = Callable[[str], Raw | None]
"""Gives a claim of the set's namespace by its name, None where there is none."""


class Owners(NamedTuple):
    """Which references a claim has by the retention policy: to the set, and to its pod."""

    by_set: bool
    by_pod: bool


class Growth(Enum):
    """What keeps a claim from the size of its template."""

    NONE = "nothing: it is large enough"
    SMALLER = "it is smaller"
    OTHER_KIND = "it has another storage class or other access modes"


def new_claims(view: AdvancedStatefulSet, ordinal: int) -> tuple[Raw, ...]:
    """Build the claims of a pod, in the order of their templates; nobody owns them at first ([V-1])."""
    return tuple(_new_claim(view, template, ordinal) for template in view.claim_templates)


def _new_claim(view: AdvancedStatefulSet, template: Raw, ordinal: int) -> Raw:
    name = claim_name(name_of(template), view.name, ordinal)
    labels = {**labels_of(template), **(view.selector.get("matchLabels") or {})}
    kept = {key: value for key, value in metadata(template).items() if key != "creationTimestamp"}
    meta: Raw = {**kept, "name": name, "namespace": view.namespace}
    if labels:
        meta["labels"] = labels
    return {"apiVersion": "v1", "kind": PVC.kind, "metadata": meta, "spec": template.get("spec") or {}}


def existing_claims(view: AdvancedStatefulSet, ordinal: int, lookup: Lookup) -> Iterator[tuple[Raw, Raw]]:
    """Give (template, claim) of the claims that a pod has and that nobody deletes."""
    for template in view.claim_templates:
        claim = lookup(claim_name(name_of(template), view.name, ordinal))
        if claim is not None and not deleting(claim):
            yield template, claim


def owners_by_policy(view: AdvancedStatefulSet, *, scaled_down: bool) -> Owners:
    """Read the retention policy for a pod inside the range, or one that is scaled down (§16.3).

    A value that is neither Retain nor Delete makes both of them Retain.
    """
    if not {view.when_scaled, view.when_deleted} <= {DELETE, RETAIN}:
        return Owners(by_set=False, by_pod=False)
    by_pod = view.when_scaled == DELETE and scaled_down
    return Owners(by_set=view.when_deleted == DELETE and not by_pod, by_pod=by_pod)


def with_owners(view: AdvancedStatefulSet, claim: Raw, pod: Raw, *, scaled_down: bool) -> Raw | None:
    """Give the claim with the references that the policy asks for, None where it has them; others' are kept ([V-15])."""
    wanted = owners_by_policy(view, scaled_down=scaled_down)
    references: list[Raw] = list(metadata(claim).get("ownerReferences") or [])
    kept = references
    for uid, asked, reference in (
        (view.uid, wanted.by_set, _reference(GROUP_VERSION, STATEFULSET.kind, view.raw)),
        (uid_of(pod), wanted.by_pod, _reference("v1", "Pod", pod)),
    ):
        has = any(owner.get("uid") == uid for owner in kept)
        if asked and not has:
            kept = [*kept, reference]
        elif has and not asked:
            kept = [owner for owner in kept if owner.get("uid") != uid]
    if kept is references:
        return None
    meta = {key: value for key, value in metadata(claim).items() if key != "ownerReferences"}
    return {**claim, "metadata": {**meta, "ownerReferences": kept} if kept else meta}


def owners_match(view: AdvancedStatefulSet, pod: Raw, lookup: Lookup, *, scaled_down: bool = False) -> bool:
    """Say whether all claims of a pod have the owners that the policy asks for; without the gate nothing is asked."""
    if not view.gates.auto_delete_claims:
        return True
    names = (claim_name(name, view.name, split_name(name_of(pod)).ordinal) for name in view.claim_names)
    claims = (claim for name in names if (claim := lookup(name)) is not None)
    return all(with_owners(view, claim, pod, scaled_down=scaled_down) is None for claim in claims)


def stale_claim(view: AdvancedStatefulSet, name: str, ordinal: int, lookup: Lookup) -> bool:
    """Say whether a claim of the pod that is to be made, by its name, still belongs to one before it ([V-20])."""
    if not view.gates.auto_delete_claims or view.when_scaled == RETAIN:
        return False
    claims = (lookup(claim_name(template, view.name, ordinal)) for template in view.claim_names)
    return any(owner.get("name") == name for claim in claims if claim is not None for owner in _owners(claim))


def same_kind(claim: Raw, template: Raw) -> bool:
    """Say whether class, where both name one, and access modes are alike ([V-30])."""
    held, wanted = (dig(each, ("spec", "storageClassName")) for each in (claim, template))
    if held is not None and wanted is not None and held != wanted:
        return False
    modes: list[list[str]] = [dig(each, ("spec", "accessModes"), []) for each in (claim, template)]
    return modes[0] == modes[1]


def growth(claim: Raw, template: Raw) -> Growth:
    """Say what keeps the claim from its template; a template that shrank keeps nothing ([V-37])."""
    if not same_kind(claim, template):
        return Growth.OTHER_KIND
    return Growth.NONE if _amount(claim, _REQUEST) >= _amount(template, _REQUEST) else Growth.SMALLER


def compatible(claim: Raw, template: Raw) -> bool:
    return growth(claim, template) is Growth.NONE


def claim_ready(claim: Raw, template: Raw) -> bool:
    """Say whether the claim has what it asks for ([V-31])."""
    return same_kind(claim, template) and _amount(claim, _CAPACITY) >= _amount(claim, _REQUEST)


def completed(claim: Raw, template: Raw) -> bool:
    """Say whether nothing but a new start of the pod is left to do ([V-34])."""
    return compatible(claim, template) and (
        claim_ready(claim, template) or condition_true(claim, "FileSystemResizePending")
    )


def all_claims(
    view: AdvancedStatefulSet, ordinal: int, lookup: Lookup, holds: Callable[[Raw, Raw], bool]
) -> bool:
    """Say whether `holds` of every claim that a pod has; one that is missing or being deleted counts as fine."""
    return all(holds(claim, template) for template, claim in existing_claims(view, ordinal, lookup))


def grown(view: AdvancedStatefulSet, claim: Raw, template: Raw) -> Raw:
    """Give the claim with the resources of its template, marked so that its changes are followed ([V-33])."""
    annotations = {**annotations_of(claim), OWNED_BY_STATEFULSET: view.name}
    spec = {**(claim.get("spec") or {}), "resources": dig(template, ("spec", "resources"), {})}
    return {**claim, "metadata": {**metadata(claim), "annotations": annotations}, "spec": spec}


def may_grow(storage_class: Raw | None) -> bool:
    """Say whether claims of the class can be made larger: it has to exist and to allow it."""
    return storage_class is not None and storage_class.get("allowVolumeExpansion") is True


def count_claims(
    view: AdvancedStatefulSet, ordinals: Iterable[int], lookup: Lookup
) -> list[tuple[str, int, int]]:
    """Count per claim template, in order: its name, claims as large as it is, and those of them that are ready ([ST-5])."""
    counts = {name: [0, 0] for name in view.claim_names}
    for ordinal in ordinals:
        for template, claim in existing_claims(view, ordinal, lookup):
            if compatible(claim, template):
                counts[name_of(template)][0] += 1
                counts[name_of(template)][1] += claim_ready(claim, template)
    return [(name, large, ready) for name, (large, ready) in counts.items()]


def _owners(claim: Raw) -> list[Raw]:
    return metadata(claim).get("ownerReferences") or []


def _reference(api_version: str, kind: str, owner: Raw) -> Raw:
    """Give a plain reference: neither a controller's nor one that holds its owner up."""
    return {"apiVersion": api_version, "kind": kind, "name": name_of(owner), "uid": uid_of(owner)}


def _amount(raw: Raw, path: tuple[str, ...]) -> int:
    return parse_quantity(dig(raw, path, "0")).nanos

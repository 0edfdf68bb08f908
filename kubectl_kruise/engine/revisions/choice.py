"""Which revision pods are updated to, and which is their baseline (cloneset.md §9.3, §9.4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kubectl_kruise.engine.revisions.content import data_bytes, revision_data
from kubectl_kruise.engine.revisions.naming import claim_hash, revision_hash, revision_name
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import CLAIM_HASH, HASH_LABEL
from kubectl_kruise.objects.raw import (
    Raw,
    annotations_of,
    controller_reference,
    dig,
    labels_of,
    metadata,
    name_of,
    namespace_of,
    owner_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.selector import selector_of

API_VERSION: Final = "apps/v1"


class Write(StrEnum):
    """What has to be written before the update revision stands on the server."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Choice:
    """`update` is the revision itself, or the body of the write that makes it; `collisions` goes to the status."""

    update: Raw
    write: Write
    collisions: int


def number_of(revision: Raw) -> int:
    return int(revision.get("revision") or 0)


def owned_revisions(workload: Raw, revisions: Iterable[Raw]) -> list[Raw]:
    """Keep those that match the selector and are controlled by `workload` or by nobody, oldest first."""
    selector = selector_of(dig(workload, ("spec", "selector")))
    mine = uid_of(workload)
    return sorted_revisions(
        revision
        for revision in revisions
        if selector.matches(labels_of(revision)) and owner_uid(revision) in ("", mine)
    )


def sorted_revisions(revisions: Iterable[Raw]) -> list[Raw]:
    """Sort by number, creation time and name."""
    return sorted(
        revisions,
        key=lambda each: (number_of(each), metadata(each).get("creationTimestamp") or "", name_of(each)),
    )


def choose_update(workload: Raw, revisions: Sequence[Raw]) -> Choice:
    """Find or build the revision of the present template among `revisions`, sorted (cloneset.md §9.4).

    A refused creation because of a taken name is answered by `after_name_taken`.
    """
    collisions = int(dig(workload, ("status", "collisionCount"), 0))
    number = number_of(revisions[-1]) + 1 if revisions else 1
    candidate = build_revision(workload, number, collisions)
    wanted = data_bytes(candidate["data"])
    equal = [revision for revision in revisions if data_bytes(revision.get("data") or {}) == wanted]
    if not equal:
        return Choice(candidate, Write.CREATE, collisions)
    if equal[-1] is revisions[-1]:
        return Choice(equal[-1], Write.NONE, collisions)
    return Choice(_renumbered(equal[-1], candidate), Write.UPDATE, collisions)


def after_name_taken(choice: Choice, existing: Raw) -> Choice:
    """Go on after a creation was refused: use `existing` where it has the same bytes, else take the next hash.

    The hash label keeps the first hash (cloneset.md §9.4).
    """
    wanted = data_bytes(choice.update["data"])
    if data_bytes(existing.get("data") or {}) == wanted:
        return Choice(existing, Write.NONE, choice.collisions)
    collisions = choice.collisions + 1
    owner = str((owner_of(choice.update) or {}).get("name") or "")
    name = revision_name(owner, revision_hash(wanted, collisions))
    renamed = {**choice.update, "metadata": {**metadata(choice.update), "name": name}}
    return Choice(renamed, Write.CREATE, collisions)


def choose_current(workload: Raw, revisions: Iterable[Raw], update: Raw) -> Raw:
    """Give the revision that `status.currentRevision` names, else the update revision."""
    name = dig(workload, ("status", "currentRevision"), "")
    return next((revision for revision in revisions if name_of(revision) == name), update)


def build_revision(workload: Raw, number: int, collisions: int = 0) -> Raw:
    """Build the ControllerRevision of the present template (cloneset.md §9.1 to §9.3)."""
    template = dig(workload, ("spec", "template"), {})
    data = revision_data(template)
    digest = revision_hash(data_bytes(data), collisions)
    annotations = dict(annotations_of(workload))
    if workload["kind"] == CLONESET.kind:  # the others record nothing of their claims
        annotations[CLAIM_HASH] = claim_hash(dig(workload, ("spec", "volumeClaimTemplates"), []))
    return {
        "apiVersion": API_VERSION,
        "kind": "ControllerRevision",
        "metadata": {
            "name": revision_name(name_of(workload), digest),
            "namespace": namespace_of(workload),
            "labels": {**labels_of(template), HASH_LABEL: digest},
            **({"annotations": annotations} if annotations else {}),
            "ownerReferences": [_owner_reference(workload)],
        },
        "data": data,
        "revision": number,
    }


def _renumbered(revision: Raw, candidate: Raw) -> Raw:
    renumbered = {**revision, "revision": candidate["revision"]}
    claims = annotations_of(candidate).get(CLAIM_HASH)
    if claims is not None and annotations_of(revision).get(CLAIM_HASH) != claims:
        annotations = {**annotations_of(revision), CLAIM_HASH: claims}
        renumbered["metadata"] = {**metadata(revision), "annotations": annotations}
    return renumbered


def _owner_reference(workload: Raw) -> Raw:
    return controller_reference(workload["apiVersion"], workload["kind"], name_of(workload), uid_of(workload))

"""The patches that give a pod another owner, and the labels that make it one of the new owner's (migration.md §4.2)."""

from collections.abc import Iterable, Sequence
from typing import Final

from kubectl_kruise.engine.cloneset.creation import ID_LENGTH
from kubectl_kruise.facts.names import INSTANCE_ID_LABEL, RANDOM_LETTERS, REVISION_LABEL, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.pod import short_hash
from kubectl_kruise.objects.raw import (
    Raw,
    controller_reference,
    labels_of,
    metadata,
    name_of,
    uid_of,
    version_of,
)

_LETTERS: Final = frozenset(RANDOM_LETTERS)


def adoption_patch(
    pod: Raw, old: Sequence[str], owner: Raw, revision: str, instance: str, *, block: bool = True
) -> Raw:
    """Give the strategic merge patch that makes a pod one of the CloneSet `owner` at `revision`.

    `old` are the uids of owners to take out, there or not. The uid of the pod guards against another one of its name;
    nothing guards against changes, because the patch is right whatever else happens to the pod.
    """
    reference = controller_reference(owner["apiVersion"], owner["kind"], name_of(owner), uid_of(owner))
    if not block:
        del reference["blockOwnerDeletion"]
    labels = {
        REVISION_LABEL: revision,
        TEMPLATE_HASH_LABEL: short_hash(revision),
        INSTANCE_ID_LABEL: instance,
    }
    return _handover(pod, old, [reference], labels)


def transfer_patch(pod: Raw, old: Sequence[str], owner: Raw, revision: str, *, block: bool = True) -> Raw:
    """Give the strategic merge patch that makes a pod one of the set `owner`, at `revision` where its label is another one.

    With "" the label stays. What `adoption_patch` says of guards holds here, too; that the set's controller takes the
    same pod meanwhile is no conflict.
    """
    reference = controller_reference(owner["apiVersion"], owner["kind"], name_of(owner), uid_of(owner))
    if not block:
        del reference["blockOwnerDeletion"]
    stale = revision and labels_of(pod).get(REVISION_LABEL) != revision
    return _handover(pod, old, [reference], {REVISION_LABEL: revision} if stale else {})


def relabel_patch(pod: Raw, revision: str) -> Raw:
    """Give the strategic merge patch that says of which revision a pod is, of the pod as it was read."""
    meta = {"uid": uid_of(pod), "resourceVersion": version_of(pod), "labels": {REVISION_LABEL: revision}}
    return {"metadata": meta}


def release_patch(pod: Raw, old: Sequence[str], template_hash: str) -> Raw:
    """Give the strategic merge patch that leaves a pod without owner, ready for the ReplicaSet of `template_hash`."""
    labels = {TEMPLATE_HASH_LABEL: template_hash, REVISION_LABEL: None, INSTANCE_ID_LABEL: None}
    return _handover(pod, old, [], labels)


def instance_ids(pods: Iterable[Raw], taken: Iterable[str]) -> tuple[dict[str, str], list[Raw]]:
    """Give instance ids by pod uid, from the ends of names, and the pods that need a fresh one (§5.1.1 D9).

    A name serves where its end is five letters of the alphabet of ids that no other pod has.
    """
    used = set(taken)
    found: dict[str, str] = {}
    left = []
    for pod in pods:
        tail = name_of(pod).rpartition("-")[2]
        if len(tail) == ID_LENGTH and set(tail) <= _LETTERS and tail not in used:
            used.add(tail)
            found[uid_of(pod)] = tail
        else:
            left.append(pod)
    return found, left


def owners_of(pod: Raw) -> set[str]:
    """Give the uids of all owners of a pod."""
    return {str(reference.get("uid")) for reference in metadata(pod).get("ownerReferences") or []}


def _handover(pod: Raw, old: Sequence[str], new: Sequence[Raw], labels: Raw) -> Raw:
    references = [*({"$patch": "delete", "uid": uid} for uid in old), *new]
    meta = {"uid": uid_of(pod), "ownerReferences": references, **({"labels": labels} if labels else {})}
    return {"metadata": meta}

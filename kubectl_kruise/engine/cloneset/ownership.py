"""Which pods belong to a CloneSet: kept, released or adopted (cloneset.md §24.1)."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.engine.cloneset.creation import owner_reference
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.raw import Raw, deleting, labels_of, metadata, owner_of
from kubectl_kruise.objects.selector import Selector


class Claim(NamedTuple):
    """`kept` count; `released` and `adopted` are pods as they are to be written, adopted ones count as well."""

    kept: tuple[Raw, ...]
    released: tuple[Raw, ...]
    adopted: tuple[Raw, ...]


def claim_pods(view: CloneSet, selector: Selector, active: Iterable[Raw]) -> Claim:
    """Decide about the active pods that refer to the CloneSet as an owner, controller or not."""
    kept: list[Raw] = []
    released: list[Raw] = []
    adopted: list[Raw] = []
    for pod in active:
        owner = owner_of(pod)
        matches = selector.matches(labels_of(pod))
        if owner is None:
            if matches and not view.deleting and not deleting(pod):
                adopted.append(_adopt(view, pod))
        elif owner.get("uid") == view.uid:
            if matches:
                kept.append(pod)
            elif not view.deleting:
                released.append(_release(view, pod))
    return Claim(tuple(kept), tuple(released), tuple(adopted))


def _release(view: CloneSet, pod: Raw) -> Raw:
    return _with_owners(pod, _others(view, pod))


def _adopt(view: CloneSet, pod: Raw) -> Raw:
    return _with_owners(pod, [*_others(view, pod), owner_reference(view)])


def _others(view: CloneSet, pod: Raw) -> list[Raw]:
    references = metadata(pod).get("ownerReferences") or []
    return [reference for reference in references if reference.get("uid") != view.uid]


def _with_owners(pod: Raw, references: list[Raw]) -> Raw:
    meta = {key: value for key, value in metadata(pod).items() if key != "ownerReferences"}
    return {**pod, "metadata": {**meta, "ownerReferences": references} if references else meta}

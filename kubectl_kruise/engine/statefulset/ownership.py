"""Which pods and revisions belong to a set: kept, released or adopted (advanced-statefulset.md §9 [I-8], [I-9])."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.engine.statefulset.creation import owner_reference
from kubectl_kruise.engine.statefulset.ordinals import split_name
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.objects.raw import Raw, deleting, labels_of, name_of, owner_of, uid_of
from kubectl_kruise.objects.selector import Selector


class Claim(NamedTuple):
    """`kept` count already; `released` are to lose their reference, `adopted` to get one and count then."""

    kept: tuple[Raw, ...]
    released: tuple[Raw, ...]
    adopted: tuple[Raw, ...]


def claim_pods(view: AdvancedStatefulSet, selector: Selector, pods: Iterable[Raw]) -> Claim:
    """Decide about pods that the set controls or nobody does: a match is one by labels and by name."""
    kept: list[Raw] = []
    released: list[Raw] = []
    adopted: list[Raw] = []
    for pod in pods:
        owner = owner_of(pod)
        matches = split_name(name_of(pod)).parent == view.name and selector.matches(labels_of(pod))
        if owner is None:
            if matches and not view.deleting and not deleting(pod):
                adopted.append(pod)
        elif owner.get("uid") == view.uid:
            if matches:
                kept.append(pod)
            elif not view.deleting:
                released.append(pod)
    return Claim(tuple(kept), tuple(released), tuple(adopted))


def unowned_revisions(revisions: Iterable[Raw]) -> list[Raw]:
    """Give those of the selected revisions that nobody controls: they are adopted, also by a set that is going."""
    return [revision for revision in revisions if owner_of(revision) is None]


def adoption(view: AdvancedStatefulSet, raw: Raw) -> Raw:
    """Give the strategic patch that makes the set the controller; the uid refuses another object of the same name."""
    return {"metadata": {"ownerReferences": [owner_reference(view)], "uid": uid_of(raw)}}


def release(view: AdvancedStatefulSet, raw: Raw) -> Raw:
    """Give the strategic patch that takes the set's reference away."""
    return {
        "metadata": {"ownerReferences": [{"$patch": "delete", "uid": view.uid}], "uid": uid_of(raw)},
    }

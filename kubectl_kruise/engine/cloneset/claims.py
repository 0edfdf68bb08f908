"""Volume claims by what became of their pod (cloneset.md §12.4)."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.facts.names import INSTANCE_ID_LABEL
from kubectl_kruise.objects.raw import Raw, controller_reference, labels_of, metadata, name_of, uid_of


class SortedClaims(NamedTuple):
    """`kept` belong to active pods, `orphaned` come with the ending pod they go to, `unused` with none."""

    kept: tuple[Raw, ...]
    orphaned: tuple[tuple[Raw, Raw], ...]
    unused: tuple[Raw, ...]


def sort_claims(claims: Iterable[Raw], active: Iterable[Raw], inactive: Iterable[Raw]) -> SortedClaims:
    living = {_id(pod) for pod in active}
    ending = {_id(pod): pod for pod in inactive}
    kept: list[Raw] = []
    orphaned: list[tuple[Raw, Raw]] = []
    unused: list[Raw] = []
    for claim in claims:
        if _id(claim) in living:
            kept.append(claim)
        elif (pod := ending.get(_id(claim))) is not None:
            orphaned.append((claim, pod))
        else:
            unused.append(claim)
    return SortedClaims(tuple(kept), tuple(orphaned), tuple(unused))


def hand_over(view: CloneSet, claim: Raw, pod: Raw) -> Raw:
    """Give the claim owned by the pod instead of the CloneSet, so that it dies with the pod."""
    others = [owner for owner in metadata(claim).get("ownerReferences") or [] if owner.get("uid") != view.uid]
    owner = controller_reference("v1", "Pod", name_of(pod), uid_of(pod))
    return {**claim, "metadata": {**metadata(claim), "ownerReferences": [*others, owner]}}


def _id(raw: Raw) -> str:
    return labels_of(raw).get(INSTANCE_ID_LABEL, "")

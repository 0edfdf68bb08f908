"""Update order by the user's priorities: weights or ordered keys (cloneset.md §15.2, advanced-statefulset.md §13)."""

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

from kubectl_kruise.objects.raw import Raw, labels_of
from kubectl_kruise.objects.selector import selector_of

_TRAILING_DIGITS = re.compile(r"[0-9]+$", re.ASCII)
_MAX_INT64 = 2**63 - 1


class HasPod(Protocol):
    """What is to be ordered by the labels of its pod."""

    @property
    def pod(self) -> Raw: ...


_Member = TypeVar("_Member", bound=HasPod)


def by_priority(members: Sequence[_Member], strategy: Raw | None) -> list[_Member]:
    """Order by weight where weights are given, else by ordered keys; members that are equal keep their order."""
    strategy = strategy or {}
    if weights := strategy.get("weightPriority"):
        return sorted(members, key=lambda member: -weight_of(labels_of(member.pod), weights))
    if terms := strategy.get("orderPriority"):
        return sorted(members, key=lambda member: _rank(labels_of(member.pod), terms))
    return list(members)


def weight_of(labels: dict[str, str], terms: Sequence[Raw]) -> int:
    """Add up the weights of the terms that match; a term that cannot be read adds nothing."""
    total = 0
    for term in terms:
        try:
            matches = selector_of(term.get("matchSelector")).matches(labels)
        except ValueError:
            continue
        total += int(term.get("weight") or 0) if matches else 0
    return total


def _rank(labels: dict[str, str], terms: Sequence[Raw]) -> tuple[int, int]:
    """Rank by the first key the pod has, then by its number, larger ones first; without any key it comes first."""
    for level, term in enumerate(terms):
        if (value := labels.get(str(term.get("orderedKey") or ""))) is not None:
            return level, -order_number(value)
    return -1, 0


def order_number(value: str) -> int:
    """Read the digits at the end of a label value: `web-10` is 10, no digits or too many of them are 0."""
    found = _TRAILING_DIGITS.search(value)
    number = int(found[0]) if found else 0
    return number if number <= _MAX_INT64 else 0

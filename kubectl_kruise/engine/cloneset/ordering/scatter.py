"""Update order that spreads pods of one kind over the whole rollout (cloneset.md §15.3)."""

import math
import struct
from collections.abc import Sequence

from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.objects.raw import Raw, labels_of


def scattered(members: Sequence[Member], every: Sequence[Member], terms: Sequence[Raw]) -> list[Member]:
    """Spread the members that each term matches; `every` is all pods of the CloneSet, for their proportion."""
    ordered = list(members)
    if len(ordered) < 2:
        return ordered
    for term in _terms_that_matter(ordered, terms):
        ordered = _spread(ordered, every, term)
    return ordered


def _terms_that_matter(members: Sequence[Member], terms: Sequence[Raw]) -> list[Raw]:
    """Give a single term as it is, of several those that match something, the most common first."""
    if len(terms) <= 1:
        return list(terms)
    counted = [(sum(_matches(member, term) for member in members), term) for term in terms]
    return [term for count, term in sorted(counted, key=lambda entry: -entry[0]) if count]


def _spread(members: list[Member], every: Sequence[Member], term: Raw) -> list[Member]:
    matching = [member for member in members if _matches(member, term)]
    others = [member for member in members if not _matches(member, term)]
    if len(matching) <= 1 or len(others) <= 1:
        return members
    last = matching.pop()
    all_matching = sum(_matches(member, term) for member in every) - 1
    all_others = len(every) - all_matching - 1
    if _single(all_others / all_matching) >= _single(len(others) / len(matching)):
        groups, first, second = _groups(len(matching), len(others))
        lead = 0
    else:
        _, first, second = _groups(all_matching, all_others)
        groups = min(len(matching) // first, len(others) // second)
        lead = len(others) - groups * second
    spread, rest = others[:lead], others[lead:]
    for _ in range(groups):
        spread += matching[:first] + rest[:second]
        matching, rest = matching[first:], rest[second:]
    return [*spread, *matching, *rest, last]


def _groups(matching: int, others: int) -> tuple[int, int, int]:
    """Give the number of groups, and how many of each side stand in one."""
    groups = min(matching, others)
    return groups, _rounded(matching / groups), _rounded(others / groups)


def _rounded(number: float) -> int:
    return math.floor(number + 0.5)


def _single(number: float) -> float:
    """Give the number in single precision, in which the manager compares the proportions."""
    narrowed: float = struct.unpack("f", struct.pack("f", number))[0]
    return narrowed


def _matches(member: Member, term: Raw) -> bool:
    return labels_of(member.pod).get(str(term.get("key") or ""), "") == (term.get("value") or "")

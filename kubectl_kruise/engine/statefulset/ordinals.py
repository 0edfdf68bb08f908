"""Ordinals of a set, those that are reserved, and the names made of them (advanced-statefulset.md §1, §9, §12.1)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw, dig

POD_NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"

_RANGE: Final = re.compile(r"([0-9]+)-([0-9]+)", re.ASCII)
_MAX_INT32: Final = 2**31 - 1


class PodName(NamedTuple):
    """`ordinal` is -1 where the name has none, or one beyond 32 bits."""

    parent: str
    ordinal: int


class Reserved:
    """Reserved ordinals as ranges, both ends included, in order and apart from each other: they may be very long."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: tuple[tuple[int, int], ...] = ()) -> None:
        self.ranges = ranges

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reserved) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return hash(self.ranges)

    def __contains__(self, ordinal: object) -> bool:
        if not isinstance(ordinal, int):
            return False
        place = bisect_right(self.ranges, ordinal, key=itemgetter(0)) - 1
        return place >= 0 and ordinal <= self.ranges[place][1]

    def free_from(self, start: int) -> Iterator[int]:
        """Give the ordinals from `start` on that are not reserved, without an end."""
        ordinal = start
        place = bisect_right(self.ranges, start, key=itemgetter(0)) - 1
        for first, last in self.ranges[max(place, 0) :]:
            yield from range(ordinal, first)
            ordinal = max(ordinal, last + 1)
        while True:
            yield ordinal
            ordinal += 1


def parse_reserved(items: Iterable[int | str]) -> Reserved:
    """Read `reserveOrdinals`: integers, and texts `a-b` with both ends; one unreadable item empties the list ([S-7])."""
    ranges: list[tuple[int, int]] = []
    for item in items:
        if isinstance(item, int):
            ranges.append((item, item))
            continue
        found = _RANGE.fullmatch(str(item))
        if found is None or int(found[1]) > int(found[2]):
            return Reserved()
        ranges.append((int(found[1]), int(found[2])))
    return Reserved(tuple(_joined(ranges)))


def ordinals_of(start: int, replicas: int, reserved: Reserved) -> list[int]:
    """List the ordinals that pods have, ascending: the first `replicas` from `start` on that are not reserved ([P-2])."""
    free = reserved.free_from(start)
    return [next(free) for _ in range(replicas)]


def split_name(name: str) -> PodName:
    """Part a pod's name into that of its set and the ordinal ([I-1]); leading zeros are read as well."""
    parent, dash, digits = name.rpartition("-")
    if not dash or not digits.isascii() or not digits.isdecimal():
        return PodName("", -1)
    ordinal = int(digits)
    return PodName(parent, ordinal if ordinal <= _MAX_INT32 else -1)


def pod_name(owner: str, ordinal: int) -> str:
    """Give the pod's name ([I-1]): what a negative ordinal makes is read back and written anew, as its positive one."""
    return f"{owner}-{split_name(f'{owner}-{ordinal}').ordinal}" if ordinal < 0 else f"{owner}-{ordinal}"


def claim_name(template: str, owner: str, ordinal: int) -> str:
    """Give the name of a pod's volume claim ([I-2])."""
    return f"{template}-{owner}-{ordinal}"


def identity_matches(pod: Raw, owner: str, namespace: str, ordinal: int) -> bool:
    """Say whether name, namespace and pod-name label are those of the set's pod of that ordinal ([I-5])."""
    meta, name = pod["metadata"], f"{owner}-{ordinal}"
    return (
        meta.get("name") == name
        and meta.get("namespace", "") == namespace
        and (meta.get("labels") or {}).get(POD_NAME_LABEL) == name
    )


def storage_matches(pod: Raw, owner: str, ordinal: int, templates: Sequence[str]) -> bool:
    """Say whether the pod has a volume of the expected claim for each claim template, by their names ([I-6])."""
    if not templates:
        return True
    volumes = {volume.get("name"): volume for volume in dig(pod, ("spec", "volumes"), [])}
    return all(
        dig(volumes.get(name), ("persistentVolumeClaim", "claimName")) == claim_name(name, owner, ordinal)
        for name in templates
    )


def _joined(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give ranges in order, those that overlap or touch as one."""
    held: tuple[int, int] | None = None
    for first, last in sorted(ranges):
        if held is not None and first <= held[1] + 1:
            held = (held[0], max(held[1], last))
            continue
        if held is not None:
            yield held
        held = (first, last)
    if held is not None:
        yield held

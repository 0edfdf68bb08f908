"""The places of a set in words: which pods a partition keeps, which go and come (advanced-statefulset.md §12.1, §13, §18).

Read from the object alone wherever that can be told: `ordinals.start` counts only behind a gate of the manager, so that
with one the pods that there are have to show it.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from kubectl_kruise.engine.statefulset.ordinals import (
    Reserved,
    ordinals_of,
    parse_reserved,
    pod_name,
    split_name,
)
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.workload import Workload

RESERVED: Final = ("spec", "reserveOrdinals")
_START: Final = ("spec", "ordinals", "start")
_FEW: Final = 6
"""So many names are listed one by one."""


class Places(NamedTuple):
    """The places of a set named `owner`; they begin at `start`, and go around those `reserved`."""

    owner: str
    start: int
    reserved: Reserved

    def first(self, count: int) -> list[int]:
        """Give the ordinals of a set of `count` pods, ascending."""
        return ordinals_of(self.start, count, self.reserved)

    def between(self, low: int, high: int) -> list[int]:
        """Give the ordinals of the ranks from `low` up to, but not including, `high`."""
        return list(islice(self.reserved.free_from(self.start), low, high))

    def names(self, ordinals: Iterable[int]) -> str:
        """Write pods by name: a few one by one, more as ranges such as `web-0 to web-56`."""
        return names_of(self.owner, ordinals)


def places_of(workload: Workload, pods: Sequence[Raw] = ()) -> Places | None:
    """Give the places of a set, None where it is unknown whether `ordinals.start` counts.

    `pods` are some of the set's own; they tell.
    """
    start = int(dig(workload.raw, _START, 0))
    if start and not workload.kind.native:
        ordinals = [split_name(name_of(pod)).ordinal for pod in pods]
        if not ordinals:
            return None
        start = start if min(ordinals) >= start else 0
    return Places(workload.name, start, parse_reserved(dig(workload.raw, RESERVED, ())))


def names_of(owner: str, ordinals: Iterable[int]) -> str:
    """Write pods of a set by name, see `Places.names`."""
    found = sorted(ordinals)
    if len(found) <= _FEW:
        return ", ".join(pod_name(owner, ordinal) for ordinal in found)
    runs: list[tuple[int, int]] = []
    for ordinal in found:
        if runs and ordinal == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], ordinal
        else:
            runs.append((ordinal, ordinal))
    texts = [
        pod_name(owner, low) if low == high else f"{pod_name(owner, low)} to {pod_name(owner, high)}"
        for low, high in runs
    ]
    left = len(texts) - _FEW
    return ", ".join(texts[:_FEW]) + (f" and {left} more ranges" if left > 0 else "")


def kept_pods(workload: Workload, kept: int, pods: Sequence[Raw] = ()) -> str:
    """Name the pods that a partition of `kept` pods keeps, "" where it keeps none, or by their number only."""
    places = places_of(workload, pods) if kept and workload.ordered else None
    return places.names(places.first(min(kept, workload.replicas))) if places else ""


def let_go(workload: Workload, kept: int, pods: Sequence[Raw] = (), *, updated: int = 0) -> str:
    """Name the pods that a partition of `kept` pods lets be updated, the first ones first, "" as `kept_pods`.

    The last `updated` pods are so already, and not named.
    """
    end = workload.replicas - updated
    places = places_of(workload, pods) if kept < end and workload.ordered else None
    if places is None:
        return ""
    ordinals = places.between(kept, end)
    if len(ordinals) <= _FEW:
        return ", ".join(pod_name(places.owner, ordinal) for ordinal in reversed(ordinals))
    return places.names(ordinals)

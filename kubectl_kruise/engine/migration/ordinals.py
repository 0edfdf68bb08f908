"""Which ordinals a set of either kind has a place for: it deletes the pods beyond them (migration.md §2.2 A4, A10)."""

from collections.abc import Iterable, Iterator
from itertools import islice

from kubectl_kruise.engine.statefulset.ordinals import parse_reserved, split_name
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.raw import Raw, dig, name_of


def ordinal_of(pod: Raw, owner: str) -> int:
    """Give the ordinal that a pod's name has in the set called `owner`, -1 for one that is not of such a set."""
    parent, ordinal = split_name(name_of(pod))
    return ordinal if parent == owner else -1


def places(live: Raw, kind: Kind, *, honours_start: bool = True) -> Iterator[int]:
    """Give the ordinals of a set, the first replica's first, without an end; Kruise goes by `start` behind a gate only."""
    start = int(dig(live, ("spec", "ordinals", "start"), 0) or 0)
    if kind.native:
        return parse_reserved(()).free_from(start)
    reserved = parse_reserved(dig(live, ("spec", "reserveOrdinals")) or ())
    return reserved.free_from(start if honours_start else 0)


def replicas_for(live: Raw, kind: Kind, pods: Iterable[Raw], *, honours_start: bool = True) -> int | None:
    """Give how many replicas a set needs to have a place for these pods, None where it would have none for one of them."""
    wanted = {ordinal_of(pod, name_of(live)) for pod in pods}
    if not wanted:
        return 0
    highest = max(wanted)
    for count, ordinal in enumerate(places(live, kind, honours_start=honours_start), 1):
        wanted.discard(ordinal)
        if not wanted:
            return count
        if ordinal >= highest:
            return None
    return None


def first_places(live: Raw, kind: Kind, count: int) -> list[int]:
    """Give the ordinals of the first `count` replicas of a set."""
    return list(islice(places(live, kind), count))

"""Which pods of a revision go first when fewer are wanted (cloneset.md §13)."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from kubectl_kruise.engine.cloneset.member import Member
from kubectl_kruise.engine.cloneset.ordering.precedence import (
    creation_age,
    most_restarts,
    phase_rank,
    readiness_age,
)
from kubectl_kruise.facts.names import DELETION_COST
from kubectl_kruise.objects.pod import node_of, ready
from kubectl_kruise.objects.raw import Raw, annotations_of, dig

Topology = Callable[[str, str], str | None]
"""Value of a label on a node, by node name and label key; None where the node is unknown or has no such label."""

_HOSTNAME: Final = "kubernetes.io/hostname"
_COST = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


def pick_for_deletion(
    members: Sequence[Member], count: int, template: Raw, topology: Topology
) -> list[Member]:
    """Choose `count` of the members of one revision group; the whole group keeps its order."""
    if count >= len(members):
        return list(members)
    constraints = dig(template, ("spec", "topologySpreadConstraints"), [])
    ranks = spread_ranks(members, constraints, topology) if constraints else node_ranks(members)
    ordered = sorted(
        zip(members, ranks, strict=True), key=lambda entry: _key(entry[0], available=True, rank=entry[1])
    )
    return [member for member, _ in ordered[:count]]


def node_ranks(members: Sequence[Member]) -> list[float]:
    """Rank pods that share a node: the best of them 0, the others 1, 2, … towards the first to go."""
    by_node: dict[str, list[int]] = defaultdict(list)
    for index, member in enumerate(members):
        if node := node_of(member.pod):
            by_node[node].append(index)
    ranks = [0.0] * len(members)
    for shared in by_node.values():
        ordered = sorted(shared, key=lambda index: _key(members[index]))
        for place, index in enumerate(reversed(ordered)):
            ranks[index] = float(place)
    return ranks


def spread_ranks(members: Sequence[Member], constraints: Sequence[Raw], topology: Topology) -> list[float]:
    """Rank pods by how crowded their topology domains are, added up over the constraints."""
    by_node = node_ranks(members)
    ranks = [0.0] * len(members)
    for constraint in constraints:
        key = str(constraint.get("topologyKey") or "")
        domains: dict[str, list[int]] = defaultdict(list)
        for index, member in enumerate(members):
            node = node_of(member.pod)
            if node and (value := topology(node, key)) is not None:
                domains[value].append(index)
        weight = math.log(len(domains) + 2)
        for shared in domains.values():
            for place, index in enumerate(_crowd(members, shared, [] if key == _HOSTNAME else by_node)):
                ranks[index] += (len(shared) - place) * weight
    return ranks


def _crowd(members: Sequence[Member], shared: list[int], ranks: Sequence[float]) -> list[int]:
    """Order the members of one domain; `ranks` is empty where they do not count."""
    return sorted(shared, key=lambda index: _key(members[index], rank=ranks[index] if ranks else 0.0))


def deletion_cost(pod: Raw) -> int:
    """Read the pod's deletion cost; anything but a plain int32 counts as 0."""
    text = annotations_of(pod).get(DELETION_COST, "")
    if not _COST.fullmatch(text):
        return 0
    cost = int(text)
    return cost if -(2**31) <= cost < 2**31 else 0


_Key = tuple[bool, int, bool, bool, int, float, float, int, float]


def _key(member: Member, *, available: bool = False, rank: float = 0.0) -> _Key:
    """Give the sort key: what is smaller is deleted earlier. Availability and rank count where asked for."""
    pod = member.pod
    return (
        bool(node_of(pod)),
        phase_rank(pod),
        available and member.available,
        ready(pod),
        deletion_cost(pod),
        -rank,
        readiness_age(pod),
        -most_restarts(pod),
        creation_age(pod),
    )

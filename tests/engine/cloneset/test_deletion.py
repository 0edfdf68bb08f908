"""Which pods go first (cloneset.md §13, §28 ex. 44)."""

import math

import pytest

from kubectl_kruise.engine.cloneset.deletion import deletion_cost, node_ranks, pick_for_deletion, spread_ranks
from kubectl_kruise.engine.cloneset.member import Member, members_for_scale
from kubectl_kruise.objects.raw import name_of
from tests.engine.cloneset.builders import NEW, NOW, cloneset, pod

COST = "controller.kubernetes.io/pod-deletion-cost"


def members(*pods: dict) -> list[Member]:
    return members_for_scale(cloneset(), pods, NEW, NOW)


def picked(found: list[Member]) -> list[str]:
    return [name_of(member.pod) for member in found]


def nowhere(_node: str, _key: str) -> None:
    return None


PAIRS = [
    ("unassigned before assigned", {"node": ""}, {"node": "a"}),
    ("pending before running", {"phase": "Pending"}, {}),
    ("pending before unknown", {"phase": "Pending"}, {"phase": "Unknown"}),
    ("unavailable before available", {"state": "Updating"}, {}),
    ("unready before ready", {"state": "Updating", "up": False}, {"state": "Updating"}),
    ("low cost before high cost", {"annotations": {COST: "-5"}}, {"annotations": {COST: "7"}}),
    ("cost beats crowding", {"annotations": {COST: "-1"}, "node": "b"}, {"node": "a"}),
    ("ready for a shorter time", {"ready_for": 5}, {"ready_for": 50}),
    ("more restarts", {"restarts": 3}, {"restarts": 1}),
    ("newer", {"created": 10}, {"created": 20}),
]


@pytest.mark.parametrize(("first", "second"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_key_by_key(first: dict, second: dict) -> None:
    found = pick_for_deletion(
        members(pod("stays", **{"node": "z", **second}), pod("goes", **{"node": "y", **first})),
        1,
        {},
        nowhere,
    )

    assert picked(found) == ["goes"]


@pytest.mark.parametrize(
    ("text", "cost"),
    [("10", 10), ("100", 100), (None, 0), ("-5", -5), ("+7", 0), ("008", 0), ("0", 0), ("1.5", 0), ("", 0), ("-0", 0), ("2147483648", 0), ("-2147483648", -2147483648)],
)  # fmt: skip
def test_costs_that_count(text: str | None, cost: int) -> None:
    assert deletion_cost(pod("p", annotations={} if text is None else {COST: text})) == cost


def test_costs_order_running_pods() -> None:  # ex. 44
    texts = {"ten": "10", "hundred": "100", "none": None, "minus": "-5", "plus": "+7"}
    listed = members(
        *(
            pod(name, node=name, annotations={} if text is None else {COST: text})
            for name, text in texts.items()
        )
    )

    assert picked(pick_for_deletion(listed, 4, {}, nowhere)) == ["minus", "none", "plus", "ten"]


def test_ranks_of_pods_that_share_a_node() -> None:  # §13, same-node example
    nodes = {0: "a", 4: "a", 10: "a", 3: "b", 6: "b", 5: "c", 7: "d", 8: "d", 9: "d"}
    listed = members(*(pod(str(number), node=node) for number, node in nodes.items()))

    ranks = dict(zip(nodes, node_ranks(listed), strict=True))

    assert ranks == {0: 2, 4: 1, 10: 0, 3: 1, 6: 0, 5: 0, 7: 2, 8: 1, 9: 0}


def test_crowded_domains_go_first() -> None:
    zones = {"a": "z1", "b": "z1", "c": "z2"}
    listed = members(pod("p0", node="a"), pod("p1", node="b"), pod("p2", node="c"), pod("p3", node="gone"))
    constraint = [{"topologyKey": "zone"}]

    ranks = spread_ranks(listed, constraint, lambda node, _key: zones.get(node))

    weight = math.log(4)
    assert ranks == [2 * weight, weight, weight, 0]


def test_the_whole_group_keeps_its_order() -> None:
    listed = members(pod("p0"), pod("p1", up=False))

    assert picked(pick_for_deletion(listed, 2, {}, nowhere)) == ["p0", "p1"]

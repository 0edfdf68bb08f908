"""The diff calculator against the worked examples (cloneset.md §10, §28)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.cloneset.calculator import calculate
from kubectl_kruise.engine.gates import Gates
from tests.engine.cloneset.builders import NEW, OLD, cloneset, scale_members, update_members

ROLLBACK = Gates(partition_rollback=True)
AS_UPDATE = Gates(preparing_update_as_update=True)
CASES = [
    ("ex. 1: first creation", {}, "", {"up": 5, "up_old": 0, "up_limit": 5}),
    ("ex. 2: streaming creation", {"scale": {"maxUnavailable": 2}}, "", {"up": 5, "up_limit": 2}),
    ("ex. 3: one broken", {"replicas": 6, "scale": {"maxUnavailable": 2}}, "n✓ n✓ n✗", {"up": 3, "up_limit": 1}),
    ("ex. 3: two broken", {"replicas": 6, "scale": {"maxUnavailable": 2}}, "n✓ n✗ n✗", {"up": 3, "up_limit": 0}),
    ("ex. 4: no room to create", {"replicas": 6, "scale": {"maxUnavailable": 2}}, "n✓ n✓ n✗ n✗ nD", {"up": 1, "up_limit": 0}),
    ("ex. 5: partition as int", {"replicas": 7, "partition": 3}, "o✓×3 n✓×2", {"up": 2, "up_old": 0}),
    ("ex. 6: partition as percentage", {"replicas": 7, "partition": "60%"}, "o✓×3 n✓×2", {"up": 2, "up_old": 2}),
    ("ex. 7: scale in by percentage", {"replicas": 3, "partition": "60%"}, "o✓×3 n✓×2", {"down": 2, "down_old": 1, "ready_budget": 3}),
    ("ex. 7: scale in by int", {"replicas": 3, "partition": 3}, "o✓×3 n✓×2", {"down": 2, "down_old": 0}),
    ("ex. 8: minReadySeconds", {"replicas": 3, "minReadySeconds": 9999}, "n✓×5", {"down": 2, "ready_budget": 0}),
    ("ex. 8: without it", {"replicas": 3}, "n✓×5", {"down": 2, "ready_budget": 3}),
    ("ex. 9: broken pods first", {"replicas": 3, "maxUnavailable": 1}, "n✓×4 n✗×2", {"down": 3, "ready_budget": 2}),
    ("ex. 10: specified", {"maxUnavailable": 1}, "nD n✓×4", {"up": 0, "down": 0, "ready_budget": 1}),
    ("ex. 11: two specified, third pass", {"maxUnavailable": 1}, "nD n✓×3 n✗", {"ready_budget": 0}),
    ("ex. 12: specified and fewer replicas", {"replicas": 4, "maxUnavailable": 1}, "nD✗×2 n✓×3", {"down": 0, "ready_budget": 2}),
    ("ex. 13: podsToDelete with a shrink", {"replicas": 4, "maxUnavailable": 1, "scale": {"podsToDelete": ["p0"]}}, "n✓×5", {"down": 0, "up": 0, "ready_budget": 2}),
    ("ex. 13: three broken", {"replicas": 4, "maxUnavailable": 1, "scale": {"podsToDelete": ["p0"]}}, "n✓×2 n✗×3", {"ready_budget": 0}),
    ("ex. 12: then one is missing", {"replicas": 4, "maxUnavailable": 1}, "n✓×3", {"up": 1, "up_old": 0}),
    ("ex. 14: surge for a deletion", {"maxUnavailable": 0, "maxSurge": 1}, "nD n✓×4", {"surge": 1, "up": 1}),
    ("ex. 14: replacement starting", {"maxUnavailable": 0, "maxSurge": 1}, "nD n✓×4 n✗", {"up": 0, "ready_budget": 0}),
    ("ex. 14: replacement up", {"maxUnavailable": 0, "maxSurge": 1}, "nD n✓×5", {"ready_budget": 1}),
    ("ex. 15: surge larger than needed", {"maxUnavailable": 1, "maxSurge": 2}, "nD×2 n✓×3", {"surge": 1, "up": 1}),
    ("ex. 18: no update at all, three old and one new", {"type": "OnDelete", "replicas": 4}, "o✓×3 n✓×5", {"down": 4, "down_old": 3}),
    ("ex. 18: two old", {"type": "OnDelete", "replicas": 6}, "o✓×3 n✓×5", {"down": 2, "down_old": 3}),
    ("ex. 18, Q5: no budget for the chosen pod", {"type": "OnDelete", "replicas": 4, "maxUnavailable": 0}, "nD n✓×3", {"ready_budget": 0}),
    ("ex. 19: default strategy", {}, "o✓×5", {"move": 5, "ceiling": 1}),
    ("ex. 20: ten pods", {"replicas": 10}, "o✓×10", {"move": 10, "ceiling": 2}),
    ("ex. 24: partition", {"partition": 3}, "o✓×5", {"move": 2, "ceiling": 1}),
    ("ex. 24: held", {"partition": 3}, "o✓×3 n✓×2", {"move": 0}),
    ("ex. 25: 99% with surge", {"partition": "99%", "maxUnavailable": 3, "maxSurge": 2}, "o✓×5", {"surge": 1, "up": 1, "up_old": 0}),
    ("ex. 25: then the old one goes", {"partition": "99%", "maxUnavailable": 3, "maxSurge": 2}, "o✓×5 n✗", {"surge": 0, "move": 0, "down": 1, "down_old": 1, "ready_budget": 3}),
    ("ex. 26: surge without unavailability", {"replicas": 4, "maxUnavailable": 0, "maxSurge": 1}, "o✓×4", {"up": 1}),
    ("ex. 26: surge pod up", {"replicas": 4, "maxUnavailable": 0, "maxSurge": 1}, "o✓×4 n✓", {"move": 3, "ceiling": 1, "down": 0}),
    ("ex. 26: last old pod", {"replicas": 4, "maxUnavailable": 0, "maxSurge": 1}, "o✓ n✓×4", {"down": 1, "down_old": 1, "surge": 0}),
    ("ex. 27: surge pod starting", {"maxUnavailable": 1, "maxSurge": 1}, "o✓×5 n✗", {"move": 4, "ceiling": 2}),
    ("ex. 27: variant", {"replicas": 5, "partition": 3, "maxUnavailable": 1, "maxSurge": 1}, "o✓×4 n✗(Updating) n✗", {"down": 1, "down_old": 1, "ready_budget": 0}),
    ("ex. 27: variant, a new pod up", {"replicas": 5, "partition": 3, "maxUnavailable": 1, "maxSurge": 1}, "o✓×4 n✓ n✗(Updating)", {"down": 1, "down_old": 1, "ready_budget": 1}),
    ("ex. 27: the last old pod", {"maxUnavailable": 1, "maxSurge": 1}, "o✓ n✓×5", {"move": 0, "down": 1, "down_old": 1}),
    ("ex. 28: paused", {"maxUnavailable": 0, "maxSurge": 3, "paused": True}, "o✓×3", {"up": 2, "up_old": 0, "surge": 0}),
    ("ex. 28: paused with a surplus", {"maxUnavailable": 0, "maxSurge": 3, "paused": True}, "o✓×5 n✗×3", {"down": 3, "down_old": 5, "ready_budget": 0}),
    ("ex. 28: paused with a partition", {"maxUnavailable": 0, "maxSurge": 3, "paused": True, "partition": 2}, "o✓×5 n✗×3", {"down": 3, "down_old": 3, "ready_budget": 0}),
    ("ex. 29: rollback by partition", {"partition": 4, "maxUnavailable": 2, "gates": ROLLBACK}, "n✓×4 o✓", {"move": -3, "ceiling": 2}),
    ("ex. 29: gate off", {"partition": 4, "maxUnavailable": 2}, "n✓×4 o✓", {"move": 0, "ceiling": 0}),
    ("ex. 32: decimal maxUnavailable", {"replicas": 8, "maxUnavailable": "12.5%"}, "o✓×8", {"move": 8, "ceiling": 0}),
    ("Q23: missing pods lower the ceiling", {"replicas": 6, "maxUnavailable": 1}, "o✗×3", {"move": 3, "ceiling": -2}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_worked_example(spec: dict, text: str, expected: dict) -> None:
    view = cloneset(**spec)

    found = calculate(view, scale_members(view, text), current_revision=OLD, update_revision=NEW)

    assert {name: getattr(found, name) for name in expected} == expected


def test_excluded_preparing_pods_are_replaced_at_once() -> None:  # ex. 17
    view = cloneset(replicas=3)
    members = scale_members(view, "n✓ n✓ nD(pd)")
    excluding = cloneset(replicas=3, scale={"excludePreparingDelete": True})

    assert calculate(view, members, current_revision=NEW, update_revision=NEW).up == 0
    assert calculate(excluding, members, current_revision=NEW, update_revision=NEW).up == 1


@pytest.mark.parametrize(("text", "down_old", "budget"), [("o✓×3 n✓×3", 2, 2)], ids=["ex. 31"])
def test_excess_and_update_together(text: str, down_old: int, budget: int) -> None:
    view = cloneset(partition=1, maxUnavailable=1, gates=ROLLBACK)

    found = calculate(view, scale_members(view, text), current_revision=NEW, update_revision=NEW)

    assert (found.down, found.down_old, found.ready_budget) == (1, down_old, budget)


def test_excess_that_is_blocked_would_be_updated() -> None:  # ex. 31
    view = cloneset(partition=1, maxUnavailable=1, gates=ROLLBACK)

    found = calculate(view, update_members(view, "o✓×3 n✓×3"), current_revision=NEW, update_revision=NEW)

    assert (found.move, found.ceiling) == (1, 2)


def test_equal_revisions_never_move_back() -> None:  # ex. 30
    view = cloneset(partition=3, gates=ROLLBACK)

    assert calculate(view, update_members(view, "n✓×5"), current_revision=NEW, update_revision=NEW).move == 0


@pytest.mark.parametrize(
    ("partition", "up_old"), [("90%", 1), (2, 0)], ids=["ex. 33 percentage", "ex. 33 int"]
)
def test_waiting_pods_count_as_new_while_scaling(partition: int | str, up_old: int) -> None:
    view = cloneset(replicas=4, partition=partition, gates=AS_UPDATE)
    members = scale_members(view, "o✗(PreparingUpdate) o✓ o✓")

    found = calculate(view, members, current_revision=OLD, update_revision=NEW)

    assert (found.up, found.up_old) == (1, up_old)


SIDES = st.lists(
    st.sampled_from(["o✓", "o✗", "oD", "n✓", "n✗", "nD", "nD✗", "o✓(pd)", "n✗(pd)"]), max_size=12
)


@given(SIDES, st.integers(0, 8), st.integers(0, 9), st.integers(0, 4), st.integers(0, 4), st.booleans())
def test_promises_hold_for_any_pods(
    sides: list[str], replicas: int, partition: int, surge: int, unavailable: int, paused: bool
) -> None:
    view = cloneset(
        replicas=replicas, partition=partition, maxSurge=surge, maxUnavailable=unavailable, paused=paused
    )

    found = calculate(view, scale_members(view, " ".join(sides)), current_revision=OLD, update_revision=NEW)

    assert len(sides) + found.up <= max(len(sides), replicas + surge)  # §27.2 invariant 5
    assert found.up_limit <= found.up  # invariant 2
    assert found.move >= 0  # invariant 6
    assert not (paused and found.surge)  # invariant 8
    assert not (partition >= replicas and found.move > 0)  # invariant 9
    assert not (found.up and found.down)


@pytest.mark.parametrize(
    ("partition", "move", "ceiling"),
    [(3, 0, 0), (0, 2, 1)],
    ids=[
        "fault B054: the partition protects the bad pods",
        "fault B054: without it two go back, one at a time",
    ],
)
def test_an_undo_in_the_middle_of_a_canary(partition: int, move: int, ceiling: int) -> None:
    """Three pods never left the revision that is wanted again; two are of the bad one."""
    view = cloneset(replicas=5, partition=partition, maxUnavailable=1)

    found = calculate(view, update_members(view, "n✓×3 o✓×2"), current_revision=OLD, update_revision=NEW)

    assert (found.move, found.ceiling) == (move, ceiling)

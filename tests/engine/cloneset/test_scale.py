"""The scale phase against the worked examples (cloneset.md §11, §28)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.cloneset.calculator import calculate
from kubectl_kruise.engine.cloneset.member import members_for_scale
from kubectl_kruise.engine.cloneset.scale import ScalePlan, plan_scale
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.raw import name_of
from tests.engine.cloneset.builders import NEW, NOW, OLD, cloneset, pods

HELD = {"preDelete": {"labelsHandler": {"app": "demo"}}}


def plan(view: CloneSet, text: str) -> ScalePlan:
    members = members_for_scale(view, pods(text), NEW, NOW)
    difference = calculate(view, members, current_revision=OLD, update_revision=NEW)
    return plan_scale(view, members, difference, lambda _node, _key: None)


def deleted(found: ScalePlan) -> list[str]:
    return [name_of(deletion.pod) for deletion in found.deletions if not deletion.held]


CREATIONS = [
    ("ex. 1", {}, "", (0, 5), None),
    ("ex. 2", {"scale": {"maxUnavailable": 2}}, "", (0, 2), 2),
    ("ex. 2: the next two", {"scale": {"maxUnavailable": 2}}, "n✓×2", (0, 2), 2),
    ("ex. 2: the last", {"scale": {"maxUnavailable": 2}}, "n✓×4", (0, 1), None),
    ("ex. 3", {"replicas": 6, "scale": {"maxUnavailable": 2}}, "n✓ n✓ n✗", (0, 1), 1),
    ("ex. 5", {"replicas": 7, "partition": 3}, "o✓×3 n✓×2", (0, 2), None),
    ("ex. 6", {"replicas": 7, "partition": "60%"}, "o✓×3 n✓×2", (2, 0), None),
    ("ex. 10: the next pass", {"maxUnavailable": 1}, "n✓×4", (0, 1), None),
    ("ex. 12: the pass after", {"replicas": 4, "maxUnavailable": 1}, "n✓×3", (0, 1), None),
    ("ex. 14", {"maxUnavailable": 0, "maxSurge": 1}, "nD n✓×4", (0, 1), None),
    ("ex. 18: replaced by new ones", {}, "o✓×3", (0, 2), None),
    ("ex. 55: all old at 100%", {"replicas": 2, "partition": "100%"}, "", (2, 0), None),
]


@pytest.mark.parametrize(
    ("spec", "text", "created", "limited"),
    [case[1:] for case in CREATIONS],
    ids=[case[0] for case in CREATIONS],
)
def test_creates(spec: dict, text: str, created: tuple[int, int], limited: int | None) -> None:
    found = plan(cloneset(**spec), text)

    assert (found.create_old, found.create_new, found.limited) == (*created, limited)
    assert found.modifies


DELETIONS = [
    ("ex. 7: one old and one new", {"replicas": 3, "partition": "60%"}, "o✓×3 n✓×2", ["p0", "p3"]),
    ("ex. 7: two new", {"replicas": 3, "partition": 3}, "o✓×3 n✓×2", ["p3", "p4"]),
    ("ex. 8: guarded by minReadySeconds", {"replicas": 3, "minReadySeconds": 9999}, "n✓×5", []),
    ("ex. 9: broken ones first", {"replicas": 3, "maxUnavailable": 1}, "n✓×4 n✗×2", ["p4", "p5", "p0"]),
    ("ex. 10: the chosen one", {"maxUnavailable": 1}, "nD n✓×4", ["p0"]),
    ("ex. 11: one at a time", {"maxUnavailable": 1}, "nD×2 n✓×3", ["p0"]),
    ("ex. 11: wait for the replacement", {"maxUnavailable": 1}, "nD n✓×3 n✗", []),
    ("ex. 12: broken ones are free", {"replicas": 4, "maxUnavailable": 1}, "nD✗×2 n✓×3", ["p0", "p1"]),
    (
        "ex. 13: named while shrinking",
        {"replicas": 4, "maxUnavailable": 1, "scale": {"podsToDelete": ["p3"]}},
        "n✓×5",
        ["p3"],
    ),
    (
        "ex. 13: named while three are broken",
        {"replicas": 4, "maxUnavailable": 1, "scale": {"podsToDelete": ["p0"]}},
        "n✓×2 n✗×3",
        [],
    ),
    ("ex. 14: the replacement is up", {"maxUnavailable": 0, "maxSurge": 1}, "nD n✓×5", ["p0"]),
    ("ex. 18: two old", {"type": "OnDelete", "replicas": 6}, "o✓×3 n✓×5", ["p0", "p1"]),
    (
        "ex. 18, Q5: no budget for the chosen pod",
        {"type": "OnDelete", "replicas": 4, "maxUnavailable": 0},
        "nD n✓×3",
        [],
    ),
    (
        "ex. 25: 99% lets one old pod go",
        {"partition": "99%", "maxUnavailable": 3, "maxSurge": 2},
        "o✓×5 n✗",
        ["p0"],
    ),
    ("ex. 26: the last old pod", {"replicas": 4, "maxUnavailable": 0, "maxSurge": 1}, "o✓ n✓×4", ["p0"]),
    ("ex. 3: nothing is created", {"replicas": 6, "scale": {"maxUnavailable": 2}}, "n✓ n✗ n✗", []),
    ("ex. 18: three old and one new", {"replicas": 4}, "o✓×3 n✓×5", ["p0", "p1", "p2", "p3"]),
    ("ex. 28: paused, none can go", {"maxUnavailable": 0, "paused": True}, "o✓×5 n✗×3", []),
    (
        "ex. 4, Q6: missing pods block deletions",
        {"replicas": 6, "scale": {"maxUnavailable": 2}},
        "n✓ n✓ n✗ n✗ nD",
        [],
    ),
    ("Q7: scale-in waits for chosen ones", {"replicas": 3, "maxUnavailable": 0}, "nD n✓×4", ["p0"]),
]


@pytest.mark.parametrize(
    ("spec", "text", "expected"), [case[1:] for case in DELETIONS], ids=[case[0] for case in DELETIONS]
)
def test_deletes(spec: dict, text: str, expected: list[str]) -> None:
    found = plan(cloneset(**spec), text)

    assert deleted(found) == expected
    assert found.modifies == bool(expected)


def test_a_hook_holds_the_pod_back() -> None:  # ex. 16, first pass
    found = plan(cloneset(replicas=2, lifecycle=HELD), "n✓×3")

    assert [(name_of(entry.pod), entry.held) for entry in found.deletions] == [("p0", True)]
    assert found.modifies


def test_a_pod_held_already_changes_nothing() -> None:
    found = plan(cloneset(replicas=2, lifecycle=HELD), "n✓×2 n✓(pd)")

    assert not found.modifies


def test_a_released_pod_is_deleted() -> None:
    lifecycle = {"preDelete": {"labelsHandler": {"hold": "true"}}}

    assert deleted(plan(cloneset(replicas=2, lifecycle=lifecycle), "n✓×2 n✓(pd)")) == ["p2"]


@pytest.mark.parametrize(
    ("marks", "revived"), [(False, ["p2"]), (True, [])], ids=["ex. 16", "ex. 16 marked not ready"]
)
def test_wanted_again_before_it_was_deleted(marks: bool, revived: list[str]) -> None:
    lifecycle = {"preDelete": {**HELD["preDelete"], "markPodNotReady": marks}}

    found = plan(cloneset(replicas=3, lifecycle=lifecycle), "n✓×2 n✓(pd)")

    assert [name_of(pod) for pod in found.revive] == revived


@given(
    st.lists(st.sampled_from(["o✓", "o✗", "oD", "n✓", "n✗", "nD", "nD✗"]), max_size=10),
    st.integers(0, 8),
    st.integers(0, 8),
    st.integers(0, 3),
    st.integers(0, 4),
)
def test_never_deletes_more_available_pods_than_allowed(
    sides: list[str], replicas: int, partition: int, surge: int, unavailable: int
) -> None:
    view = cloneset(replicas=replicas, partition=partition, maxSurge=surge, maxUnavailable=unavailable)
    members = members_for_scale(view, pods(" ".join(sides)), NEW, NOW)
    bad = sum(not member.available and not member.specified for member in members)

    found = plan(view, " ".join(sides))

    gone = set(deleted(found))
    assert sum(member.up for member in members if member.name in gone) <= max(
        view.unavailable + len(members) - replicas - bad, 0
    )
    assert not (gone and (found.create_old or found.create_new))


@given(
    st.lists(st.sampled_from(["o✓", "o✗", "oD", "n✓", "n✗", "nD", "nD✗", "n✓(pd)"]), max_size=10),
    st.integers(0, 12),
    st.integers(0, 8),
    st.integers(0, 3),
    st.one_of(st.integers(1, 6), st.sampled_from(["10%", "34%", "100%"])),
)
def test_creation_never_takes_more_pods_down_than_scaling_may(
    sides: list[str], replicas: int, partition: int, surge: int, limit: int | str
) -> None:
    """cloneset.md §27.2 invariant 2: what is created is unavailable at first, and of those that are down the ones chosen to go do not count."""
    view = cloneset(replicas=replicas, partition=partition, maxSurge=surge, scale={"maxUnavailable": limit})
    members = members_for_scale(view, pods(" ".join(sides)), NEW, NOW)
    found = plan(view, " ".join(sides))
    created = found.create_old + found.create_new
    down = sum(one.preparing_delete or not (one.available or one.specified) for one in members)

    assert created <= calculate(view, members, current_revision=OLD, update_revision=NEW).up_limit
    assert not created or down + created <= view.scale_unavailable

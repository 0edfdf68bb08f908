"""Update order by priority and scattered (cloneset.md §15.2, §15.3, §28 ex. 45–49)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.cloneset.member import members_for_update
from kubectl_kruise.engine.cloneset.ordering.order import update_order
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.priority import order_number
from tests.engine.cloneset.builders import NEW, NOW, OLD, cloneset, pod

A, B = {"labelA": "AAA"}, {"labelB": "BBB"}
TERM_A, TERM_B = {"key": "labelA", "value": "AAA"}, {"key": "labelB", "value": "BBB"}


def order(view: CloneSet, *labels: dict, updated: int = 0) -> list[int]:
    """Order pods that are equal but for their labels; the last `updated` of them are new already."""
    waiting = len(labels) - updated
    listed = [
        pod(str(index), OLD if index < waiting else NEW, labels=own) for index, own in enumerate(labels)
    ]
    members = members_for_update(view, listed, NEW, NOW)
    return [int(member.name) for member in update_order(view, members[:waiting], members)]


def restarted(own: dict, *, policy: str = "Always", count: int = 3) -> dict:
    """Give the pod an init container, which runs on where its policy is Always, and its restarts."""
    own["spec"]["initContainers"] = [{"name": "side", "restartPolicy": policy}]
    own["status"]["initContainerStatuses"] = [{"name": "side", "restartCount": count}]
    return own


BASE = [
    ("without a node before with one", pod("x", OLD, node="", ready_for=500), pod("y", OLD)),
    ("pending before unknown", pod("x", OLD, phase="Pending", ready_for=500), pod("y", OLD, phase="Unknown")),
    ("unknown before running", pod("x", OLD, phase="Unknown", ready_for=500), pod("y", OLD)),
    ("unready before ready", pod("x", OLD, up=False, created=5000), pod("y", OLD)),
    ("ready for a shorter time first", pod("x", OLD, ready_for=10, created=5000), pod("y", OLD, ready_for=20, restarts=9)),
    ("how long unready pods have been so does not matter", pod("x", OLD, up=False, ready_for=20, restarts=1), pod("y", OLD, up=False, ready_for=10)),
    ("more restarts first", pod("x", OLD, restarts=2, created=5000), pod("y", OLD, restarts=1)),
    ("then those of init containers that run on", restarted(pod("x", OLD, created=5000)), pod("y", OLD)),
    ("restarts of containers before those of sidecars", pod("x", OLD, restarts=1, created=5000), restarted(pod("y", OLD))),
    ("other init containers do not matter", pod("x", OLD, created=10), restarted(pod("y", OLD), policy="")),
    ("the younger first", pod("x", OLD, created=10), pod("y", OLD, created=20)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [case[1:] for case in BASE], ids=[case[0] for case in BASE])
def test_base_order(first: dict, second: dict) -> None:  # §15.1
    view = cloneset()
    members = members_for_update(view, [second, first], NEW, NOW)

    assert [member.name for member in update_order(view, members, members)] == ["x", "y"]


def test_by_weight() -> None:  # ex. 45
    weights = [
        {"weight": 100, "matchSelector": {"matchLabels": {"foo": "bar"}}},
        {"weight": 90, "matchSelector": {"matchLabels": {"hello": "world"}}},
        {"weight": 50, "matchSelector": {"matchExpressions": [{"key": "x", "operator": "Strange"}]}},
    ]
    view = cloneset(priorityStrategy={"weightPriority": weights})

    assert order(view, {"hello": "world"}, {}, {"foo": "bar"}, {}) == [2, 0, 1, 3]


def test_by_order() -> None:  # ex. 46, Q10
    view = cloneset(priorityStrategy={"orderPriority": [{"orderedKey": "key1"}, {"orderedKey": "key2"}]})

    assert order(view, {"key1": "o-5"}, {"key1": "o-10"}, {"key2": "o-20"}, {}) == [3, 1, 0, 2]


@pytest.mark.parametrize(
    ("value", "number"), [("sts-10", 10), ("v2a", 0), ("none", 0), ("", 0), ("9" * 30, 0), ("7", 7)]
)
def test_number_of_a_label_value(value: str, number: int) -> None:
    assert order_number(value) == number


@pytest.mark.parametrize(
    ("matching", "expected"),
    [
        ({3, 4, 5}, [3, 0, 1, 4, 2, 5]),
        ({4, 5}, [4, 0, 1, 2, 3, 5]),
        ({2, 3, 4, 5}, [2, 3, 0, 4, 1, 5]),
        ({5}, [0, 1, 2, 3, 4, 5]),
    ],
    ids=["ex. 47: three of six", "ex. 47: two", "ex. 47: four", "ex. 47: one"],
)
def test_scattered_by_one_term(matching: set[int], expected: list[int]) -> None:
    view = cloneset(scatterStrategy=[TERM_A])

    assert order(view, *(A if index in matching else {} for index in range(6))) == expected


def test_scattered_by_two_terms() -> None:  # ex. 48
    view = cloneset(scatterStrategy=[TERM_A, TERM_B])

    assert order(view, B, B, {}, {}, A, A) == [0, 4, 2, 3, 5, 1]


def test_scattered_in_the_middle_of_a_rollout() -> None:  # ex. 49
    view = cloneset(scatterStrategy=[TERM_A])

    assert order(view, {}, {}, {}, {}, A, A, A, updated=1) == [0, 1, 4, 2, 3, 5]


LABELS = st.lists(st.sampled_from([{}, A, B, {**A, **B}]), max_size=14)


@given(LABELS, st.integers(0, 5), st.sampled_from([[TERM_A], [TERM_A, TERM_B], []]))
def test_nobody_is_lost(labels: list[dict], updated: int, terms: list[dict]) -> None:
    updated = min(updated, len(labels))
    view = cloneset(scatterStrategy=terms)

    assert sorted(order(view, *labels, updated=updated)) == list(range(len(labels) - updated))

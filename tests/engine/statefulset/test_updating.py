"""Rolling updates, one pass at a time (advanced-statefulset.md §12.2, §12.6, §13, examples X-44 to X-78)."""

from collections.abc import Mapping
from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.order import update_order
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.steps import Counter, Delete
from kubectl_kruise.engine.statefulset.view import read_statefulset
from tests.engine.statefulset.builders import (
    START_ORDINAL,
    decide,
    pod,
    pods,
    revision,
    situation,
    statefulset,
    stop_reason,
    wait,
)


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param("PA n 6 part 3 mu 2", "0 1 2 3 4 5", "delete 5, delete 4", id="X-44"),
        pytest.param("PA n 6 part 3 mu 2", "0 1 2 3", "create 4@r2, create 5@r2", id="X-45"),
        pytest.param("PA n 6 part 3 mu 2", "0 1 2 3 4:r2+ 5:r2-", "delete 3", id="X-46"),
        pytest.param("PA n 6 part 3 mu 2", "0 1 2 3:r2 4:r2 5:r2", "", id="X-47"),
        pytest.param("PA n 6 part 3 mu 2", "0T 1 2 3 4 5", "delete 5", id="X-48"),
        pytest.param("PA n 6 part 3 mu 2", "0T 1 2T 3 4 5:r2", "", id="X-49"),
        pytest.param("PA n 5 mu 20%", "0 1 2 3 4", "delete 4", id="X-50 20 % of 5"),
        pytest.param("PA n 5 mu 50%", "0 1 2 3 4", "delete 4, delete 3", id="X-50 50 % of 5"),
        pytest.param("PA n 5 mu 10%", "0 1 2 3 4", "delete 4", id="X-50 10 % of 5"),
        pytest.param("PA n 4 mu 1", "0- 1 2 3", "", id="X-51"),
        pytest.param("PA n 4 mu 1", "0 1 2 3-", "delete 3", id="X-52"),
        pytest.param("PA n 4 mu 1", "0 1 2- 3-", "delete 3, delete 2", id="X-53"),
        pytest.param("OR", "0 1 2", "delete 2", id="X-54"),
        pytest.param("OR", "0- 1 2", "", id="X-55"),
        pytest.param("PA n 5 mu 3 part 4", "0 1 2 3 4", "delete 4", id="X-64 the canary"),
        pytest.param(
            "PA n 5 mu 3", "0 1 2 3 4:r2", "delete 3, delete 2, delete 1", id="X-64 then the others"
        ),
        pytest.param("PA n 5 mu 3", "0 1:r2- 2:r2+ 3:r2- 4:r2", "delete 0", id="X-64 one is available again"),
        pytest.param("PA part 5", "0 1 2", "", id="X-65"),
        pytest.param("PA n 4 part 3", "0 1 2:r2 3:r2", "", id="X-66"),
        pytest.param("PA n 5 mu 2", "0 1- 2 3 4", "delete 4", id="fault B146"),
        pytest.param("PA n 5 mu 3", "0 1- 2 3 4", "delete 4, delete 3", id="fault B146 with three"),
        pytest.param("PA n 4 mu 2", "0 1T 2 3", "delete 3", id="fault B148"),
        pytest.param("OR n 4", "0 1T 2 3", "", id="fault B148 in OrderedReady"),
        pytest.param("PA n 2", "0:r2 1F", "delete 1; delete 1", id="§1 the update sees what was before"),
        pytest.param("PA n 4 mu 250%", "0 1 2 3", "delete 3, delete 2, delete 1, delete 0", id="S-6"),
        pytest.param("PA n 4 mu 4", "0 1 2 3T", "delete 2, delete 1, delete 0", id="P-57 e, one terminates"),
    ],
)
def test_one_pass_of_an_update(spec: str, existing: str, expected: str) -> None:
    assert decide(situation(statefulset(spec), pods(existing))) == expected


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param("PA n 5 mu 1 ready 60 InPlaceIfPossible", "0 1 2 3 4:r2~10", "", id="X-56"),
        pytest.param("PA n 5 mu 2 ready 60 InPlaceIfPossible", "0 1 2 3:r2~9 4:r2~10", "", id="X-56 of two"),
        pytest.param(
            "PA n 5 mu 2 InPlaceIfPossible",
            "0 1 2 3:r2~9 4:r2~10",
            "in place 2, in place 1",
            id="X-56 at once",
        ),
    ],
)
def test_pods_have_to_be_ready_for_a_while(spec: str, existing: str, expected: str) -> None:
    assert decide(situation(statefulset(spec), pods(existing))) == expected


def test_the_pass_comes_back_when_the_first_pod_has_been_ready_for_long_enough() -> None:
    """P-55 and P-70."""
    view = statefulset("PA n 5 mu 2 ready 60 InPlaceIfPossible")

    assert wait(situation(view, pods("0 1 2 3:r2~9 4:r2~10"))) == 50


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param(
            "PA n 5 part 2 mu 1", "0 1 2", "create 3@r2, create 4@r2", id="X-57 the new ones come with r2"
        ),
        pytest.param("OR n 5 part 2", "0 1 2", "create 3@r2", id="X-57 OrderedReady"),
        pytest.param("OR n 5 part 2", "0 1 2 3:r2 4:r2", "delete 2", id="X-57 then the old one above"),
        pytest.param("OR n 5 part 2", "0 1 2:r2 3:r2 4:r2", "", id="X-57 in the end"),
        pytest.param("PA n 5 paused", "0 1 2", "create 3@r2, create 4@r2", id="X-58"),
        pytest.param("PA n 3 paused", "0 1 2", "", id="X-58 the others stay"),
        pytest.param("PA n 3 part 1", "0 2", "create 1@r2", id="X-63 rank 1 is not protected"),
        pytest.param("PA n 3 part 1", "1 2", "create 0@r1", id="X-63 rank 0 is"),
        pytest.param("PA n 3 part 1 paused", "1 2", "create 0@r1", id="P-14"),
    ],
)
def test_scaling_out_during_an_update(spec: str, existing: str, expected: str) -> None:
    assert decide(situation(statefulset(spec), pods(existing))) == expected


@pytest.mark.parametrize(
    ("existing", "expected"),
    [("0 1 2", "create 3@r2, create 4@r2"), ("0 1 2 3:r2 4:r2", ""), ("0 2 3:r2 4:r2", "create 1@r2")],
    ids=["X-59", "X-59 the others stay", "X-59 until somebody deletes them"],
)
def test_on_delete(existing: str, expected: str) -> None:
    view = statefulset("PA n 5", updateStrategy={"type": "OnDelete"})

    assert decide(situation(view, pods(existing))) == expected


def test_a_type_that_is_neither() -> None:
    """P-10, P-50: where admission was not asked, it updates, but new pods take no heed of the partition."""
    view = statefulset(
        updateStrategy={"type": "Other", "rollingUpdate": {"partition": 2}}, podManagementPolicy="Parallel"
    )

    assert decide(situation(view, pods("1 2"))) == "create 0@r2"
    assert decide(situation(view, pods("0 1 2"))) == "delete 2"


@pytest.mark.parametrize(
    ("spec", "more", "existing", "expected"),
    [
        pytest.param("PA part 2", {"reserveOrdinals": [1, 3]}, "0 2 4", "delete 4", id="X-60"),
        pytest.param("PA part 2", {"reserveOrdinals": [1]}, "0 3:r2", "create 2@r1", id="X-62"),
        pytest.param(
            "PA n 5 part 3", {"reserveOrdinals": [1]}, "0 2 5:r2", "create 3@r1, create 4@r2", id="fault B150"
        ),
        pytest.param(
            "PA n 5 part 3 mu 40%",
            {"reserveOrdinals": [1, "4-6"]},
            "0 2 3 7 8",
            "delete 8, delete 7",
            id="odd manifest 16, ordered",
        ),
    ],
)
def test_partition_counts_replicas(spec: str, more: Mapping[str, Any], existing: str, expected: str) -> None:
    """S-3: not ordinals."""
    assert decide(situation(statefulset(spec, **more), pods(existing))) == expected


def test_partition_and_the_first_ordinal() -> None:
    """X-61."""
    view = statefulset("PA part 1 mu 3", gates=START_ORDINAL, ordinals={"start": 2})

    assert decide(situation(view, pods("2 3 4"))) == "delete 4, delete 3"


@pytest.mark.parametrize(
    ("counted", "expected"),
    [(0, "create 2@r2"), (2, "create 2@r2"), (3, "create 2@r1")],
    ids=["none counted", "it is beyond the counted ones", "it is among them"],
)
def test_without_a_rolling_update_the_status_decides(counted: int, expected: str) -> None:
    """P-11: only where admission was bypassed."""
    view = statefulset("OR", updateStrategy={"type": "RollingUpdate"}, status={"currentReplicas": counted})

    assert decide(situation(view, pods("0 1"))) == expected


def test_without_a_rolling_update_ordinals_count_from_the_first() -> None:
    """P-11."""
    view = statefulset(
        "OR",
        gates=START_ORDINAL,
        ordinals={"start": 5},
        updateStrategy={"type": "RollingUpdate"},
        status={"currentReplicas": 1},
    )

    assert decide(situation(view, [])) == "create 5@r1"
    assert decide(situation(view, pods("5"))) == "create 6@r2"


@pytest.mark.parametrize(
    ("marks", "lowers"),
    [
        ("0:r1D 1:r2 2:r2", [Counter.CURRENT]),
        ("0:r2D 1:r2 2:r2", [Counter.UPDATED]),
        ("0:r7D 1:r2 2:r2", [None]),
        ("0:r1 1:r2 2:r2", [Counter.CURRENT]),
        ("0:r7 1:r2 2:r2", [None]),
    ],
    ids=[
        "a chosen old pod",
        "a chosen new one",
        "of another revision",
        "an old one",
        "of another revision, old",
    ],
)
def test_counters_that_a_deletion_lowers(marks: str, lowers: list[Counter | None]) -> None:
    """ST-3."""
    phases = plan_pass(situation(statefulset("PA"), pods(marks)))

    assert [step.lowers for phase in phases for step in phase.steps if isinstance(step, Delete)] == lowers


# Unordered updates (§13 [O-2]–[O-5]).


def _unordered(strategy: Any = None) -> dict[str, Any]:
    return {"unorderedUpdate": {"priorityStrategy": strategy} if strategy else {}}


WEIGHTS = {
    "weightPriority": [
        {"weight": 20, "matchSelector": {"matchLabels": {"k": "v1"}}},
        {"weight": 10, "matchSelector": {"matchLabels": {"k": "v2"}}},
    ]
}
ORDERED_KEYS = {"orderPriority": [{"orderedKey": "prio"}]}


def _labelled(
    count: int,
    key: str,
    values: Mapping[int, str],
    *,
    updated: tuple[int, ...] = (),
    skip: tuple[int, ...] = (),
) -> list[dict[str, Any]]:
    return [
        pod(
            ordinal,
            "r2" if ordinal in updated else "r1",
            labels={key: values[ordinal]} if ordinal in values else {},
        )
        for ordinal in range(count)
        if ordinal not in skip
    ]


@pytest.mark.parametrize(
    ("spec", "strategy", "existing", "order", "expected"),
    [
        pytest.param(
            "PA n 10 part 6 mu 2",
            WEIGHTS,
            _labelled(10, "k", {}, updated=(6, 7)),
            [7, 6, 9, 8],
            "delete 9, delete 8",
            id="X-67",
        ),
        pytest.param(
            "PA n 5 part 1 mu 2",
            WEIGHTS,
            _labelled(5, "k", {0: "v1", 2: "v2", 4: "v1"}),
            [4, 0, 2, 3],
            "delete 4, delete 0",
            id="X-70",
        ),
        pytest.param(
            "PA n 5 mu 1",
            ORDERED_KEYS,
            _labelled(5, "prio", {0: "p-10", 2: "5", 3: "x"}),
            [4, 1, 0, 2, 3],
            "delete 4",
            id="X-71",
        ),
        pytest.param(
            "PA n 4 part 2 mu 4",
            ORDERED_KEYS,
            [
                pod(0, "r2", labels={"prio": "1"}),
                pod(1, labels={"prio": "9"}),
                pod(2, labels={"prio": "8"}),
                pod(3, marks="T", labels={"prio": "1"}),
            ],
            [3, 0],
            "",
            id="fault B152",
        ),
        pytest.param(
            "PA n 3 mu 3",
            {**WEIGHTS, **ORDERED_KEYS},
            _labelled(3, "k", {0: "v1", 1: "v2"}),
            [0, 1, 2],
            "delete 0, delete 1, delete 2",
            id="O-5 weights win",
        ),
        pytest.param(
            "PA n 3 mu 3",
            None,
            _labelled(3, "k", {0: "v1"}),
            [2, 1, 0],
            "delete 2, delete 1, delete 0",
            id="O-5",
        ),
    ],
)
def test_unordered(
    spec: str, strategy: Any, existing: list[dict[str, Any]], order: list[int], expected: str
) -> None:
    at = situation(statefulset(spec, rolling=_unordered(strategy)), existing)

    assert [member.ordinal for member in update_order(at.view, at.slots.replicas, "r2")] == order
    assert decide(at) == expected


@pytest.mark.parametrize(
    ("gates", "expected"),
    [(Gates(), [8, 7, 11, 9]), (Gates(preparing_update_as_update=True), [8, 7, 1, 0])],
    ids=["X-68", "X-69"],
)
def test_unordered_with_reserved_ordinals(gates: Gates, expected: list[int]) -> None:
    view = statefulset("PA n 10 part 6", gates=gates, rolling=_unordered(WEIGHTS), reserveOrdinals=[3, 10])
    existing = [
        pod(
            ordinal,
            "r2" if ordinal in (7, 8) else "r1",
            state="PreparingUpdate" if ordinal in (0, 1) and gates.preparing_update_as_update else "Normal",
        )
        for ordinal in (0, 1, 2, 4, 5, 6, 7, 8, 9, 11)
    ]
    at = situation(view, existing)

    assert [member.ordinal for member in update_order(view, at.slots.replicas, "r2")] == expected


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        ("0:r1 2:r2", "create 1@r2"),
        ("0:r2 2:r2", "create 1@r1"),
        ("", "create 0@r1, create 1@r2, create 2@r2"),
    ],
    ids=["X-72 there is an old pod", "X-72 there is none", "P-13 new ones count for those above"],
)
def test_the_quota_of_old_pods_is_kept(existing: str, expected: str) -> None:
    at = situation(statefulset("PA part 1", rolling=_unordered()), pods(existing))

    assert decide(at) == expected


# Pods that somebody chose (§12.6 [P-56]).


@pytest.mark.parametrize(
    ("spec", "existing", "expected"),
    [
        pytest.param(
            "PA n 6 part 3 mu 3 InPlaceIfPossible",
            "0D 1 2 3 4 5",
            "delete 0, in place 5, in place 4",
            id="X-73",
        ),
        pytest.param(
            "PA n 6 part 3 mu 3 InPlaceIfPossible", "1 2 3 4:r2- 5:r2-", "create 0@r1", id="X-73 next"
        ),
        pytest.param(
            "PA n 6 part 3 mu 3 InPlaceIfPossible",
            "0D 1D 2D 3 4:r2 5:r2D",
            "delete 5, delete 2, delete 1",
            id="X-74",
        ),
        pytest.param(
            "PA n 6 part 3 mu 3 InPlaceIfPossible", "0D 1 2 3D 4:r2 5:r2", "delete 3, delete 0", id="X-75"
        ),
        pytest.param("PA n 5 mu 3", "0:r2 1:r2- 2:r2- 3:r2D 4:r2D", "delete 4", id="X-76"),
        pytest.param("PA mu 1", "0:r2-D 1:r2 2:r2D", "delete 0", id="P-56 one that is skipped stops nobody"),
        pytest.param("OR", "0:r2D 1:r2 2:r2D", "delete 2", id="X-77"),
        pytest.param("PA paused", "0D 1 2", "", id="X-78 paused"),
        pytest.param(
            "PA mu 1", "0:r2D 1:r2 2:r2DT", "delete 2", id="P-56 a terminating pod is deleted again"
        ),
    ],
)
def test_chosen_pods(spec: str, existing: str, expected: str) -> None:
    assert decide(situation(statefulset(spec), pods(existing))) == expected


def test_chosen_pods_stay_under_on_delete() -> None:
    """X-78."""
    view = statefulset("PA", updateStrategy={"type": "OnDelete"})

    assert decide(situation(view, pods("0D 1 2"))) == ""


# What a pass says about itself.


@pytest.mark.parametrize(
    ("spec", "existing", "reason"),
    [
        ("PA paused", "0 1 2", "paused"),
        ("OR", "0 1- 2", "pod web-1 has to be available first"),
        ("OR", "0 1T 2", "pod web-1 has to be gone first"),
        ("OR", "0 1F 2", "pod web-1 has failed and is made again first"),
        ("PA mu 1", "0- 1 2", "pod web-2 waits: at most 1 may be unavailable, web-0 is"),
        ("PA mu 2 n 4", "0- 1- 2 3", "pod web-3 waits: at most 2 may be unavailable, web-0, web-1 are"),
        ("OR n 1", "0 1- 2-", "pod web-2 is not available and has to wait for pod web-1"),
        ("OR n 1 ready 60", "0 1~5", "pod web-1 has to be available before it goes"),
        ("OR n 1", "0 1T", "pod web-1 has to be gone first"),
        ("PA", "0:r2 1:r2 2:r2", ""),
    ],
)
def test_why_a_pass_ends(spec: str, existing: str, reason: str) -> None:
    assert stop_reason(situation(statefulset(spec), pods(existing))) == reason


def test_an_update_that_has_not_been_seen_holds_the_next_one() -> None:
    """P-51."""
    at = situation(statefulset("PA mu 3"), pods("0 1 2"), expecting="web-2")

    assert decide(at) == ""
    assert stop_reason(at) == "the update of pod web-2 has not been seen yet"


def test_a_pod_of_an_unknown_revision_is_recreated() -> None:
    """I-9: the revision of adopted pods may have gone."""
    at = situation(statefulset("PA InPlaceIfPossible mu 3"), pods("0:r7 1:r7 2:r2"))

    assert decide(at) == "delete 1, delete 0"


def test_the_revision_has_to_be_the_same_to_the_letter() -> None:
    """P-57 b: unlike in the order, where only what stands behind the last dash counts."""
    update = revision("web-2222")
    listed = [pod(0, "web-2222"), pod(1, "2222"), pod(2, "web-2222")]

    assert decide(situation(statefulset("PA mu 3"), listed, update=update)) == "delete 1"


def test_on_delete_has_no_minimum_of_readiness() -> None:
    """S-1: even where admission did not refuse what stands there."""
    rolling = {"minReadySeconds": 60, "partition": 2, "paused": True}
    view = read_statefulset({"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": rolling}}})

    assert (view.min_ready, view.partition, view.paused) == (0, 0, False)


def test_a_pod_that_is_ready_nobody_knows_since_when() -> None:
    """§11: it waits for the whole time."""
    one = pod(0, "r2")
    one["status"]["conditions"][0]["lastTransitionTime"] = None
    at = situation(statefulset("OR ready 60"), [one])

    assert (decide(at), wait(at)) == ("", 60)

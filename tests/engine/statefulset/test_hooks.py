"""Lifecycle hooks, one pass at a time (advanced-statefulset.md §15, examples X-29 to X-36)."""

from typing import Any

import pytest

from kubectl_kruise.engine.lifecycle import next_state
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.steps import Counter, Hold, PrepareUpdate
from tests.engine.statefulset.builders import decide, pod, pods, revision, situation, statefulset, stop_reason

R1 = revision("r1")
BLOCK = {"inPlaceUpdate": {"labelsHandler": {"unready-block": "true"}}}
HOLD = {"preDelete": {"labelsHandler": {"hold": "true"}}}
PRE_NORMAL = {"preNormal": {"labelsHandler": {"a": "true"}, "finalizersHandler": ["slb"]}}


def _blocked(ordinal: int, of: str = "r1", value: str = "true", **more: Any) -> dict[str, Any]:
    return pod(ordinal, of, labels={"unready-block": value}, **more)


def _lowered(at: Any) -> list[Counter | None]:
    steps = [step for phase in plan_pass(at) for step in phase.steps]
    return [step.lowers for step in steps if isinstance(step, PrepareUpdate | Hold)]


def test_a_hooked_pod_prepares_first() -> None:
    """X-29; the status says one old pod less at once ([ST-3])."""
    view = statefulset("PA part 2 InPlaceIfPossible", lifecycle=BLOCK)
    at = situation(view, [_blocked(0), _blocked(1), _blocked(2)])

    assert decide(at) == "2 → PreparingUpdate"
    assert _lowered(at) == [Counter.CURRENT]


def test_while_the_hook_holds_the_pod_it_counts_as_one_that_is_updated() -> None:
    """§22 quirk 11: the counter is lowered on every pass."""
    view = statefulset("PA part 2 InPlaceIfPossible", lifecycle=BLOCK)
    at = situation(view, [_blocked(0), _blocked(1), _blocked(2, state="PreparingUpdate")])

    assert decide(at) == "hold 2"
    assert _lowered(at) == [Counter.CURRENT]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param(_blocked(2, value="false", state="PreparingUpdate"), "in place 2", id="X-30"),
        pytest.param(_blocked(2, "r2", "false", state="Updating"), "2 → Updated", id="X-31"),
        pytest.param(_blocked(2, "r2", "true", state="Updated"), "2 → Normal", id="X-32"),
        pytest.param(_blocked(2, "r2", "true"), "", id="X-32 pod 1 is not prepared"),
        pytest.param(
            _blocked(2, "r2", "true", state="Updating"), "2 → Normal", id="L-1 hooked again already"
        ),
        pytest.param(
            _blocked(2, "r2", "true", state="PreparingUpdate"), "2 → Normal", id="L-1 the template is back"
        ),
        pytest.param(_blocked(2, "r7", "false", state="Updated"), "2 → PreparingUpdate rehooked", id="§14.1"),
    ],
)
def test_the_way_of_a_hooked_pod(last: dict[str, Any], expected: str) -> None:
    view = statefulset("PA part 2 InPlaceIfPossible", lifecycle=BLOCK)
    at = situation(view, [_blocked(0), _blocked(1), last], others=[revision("r7")])

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("spec", "released", "states", "expected"),
    [
        pytest.param("OR n 1", (), {}, "2 → PreparingDelete", id="X-33 first pass"),
        pytest.param(
            "OR n 1",
            (),
            {2: "PreparingDelete"},
            "2 stays PreparingDelete, 1 → PreparingDelete",
            id="X-33 second pass",
        ),
        pytest.param("OR n 1", (2,), {1: "PreparingDelete", 2: "PreparingDelete"}, "", id="X-33 locked up"),
        pytest.param("OR n 2", (2,), {2: "PreparingDelete"}, "delete 2", id="X-33 a single condemned pod"),
        pytest.param("PA n 1", (2,), {2: "PreparingDelete"}, "delete 2, 1 → PreparingDelete", id="X-33 PA"),
    ],
)
def test_pods_held_before_their_deletion(
    spec: str, released: tuple[int, ...], states: dict[int, str], expected: str
) -> None:
    listed = [
        pod(
            ordinal,
            labels={"hold": "false" if ordinal in released else "true"},
            state=states.get(ordinal, "Normal"),
        )
        for ordinal in range(3)
    ]
    at = situation(statefulset(spec, lifecycle=HOLD), listed, current=R1, update=R1)

    assert decide(at) == expected


def test_the_lock_up_says_what_it_waits_for() -> None:
    """X-33: 2 has to wait for 1, which never becomes available."""
    listed = [
        pod(0),
        pod(1, labels={"hold": "true"}, state="PreparingDelete"),
        pod(2, labels={"hold": "false"}, state="PreparingDelete"),
    ]
    at = situation(statefulset("OR n 1", lifecycle=HOLD), listed, current=R1, update=R1)

    assert stop_reason(at) == "pod web-2 is not available and has to wait for pod web-1"


@pytest.mark.parametrize(
    ("labels", "finalizers", "expected"),
    [({}, [], ""), ({"a": "true"}, [], ""), ({}, ["slb"], ""), ({"a": "true"}, ["slb"], "Normal")],
    ids=["X-34 neither", "X-34 the label", "X-34 the finalizer", "X-34 everything"],
)
def test_before_a_pod_is_normal(labels: dict[str, str], finalizers: list[str], expected: str) -> None:
    one = pod(0, labels=labels, finalizers=finalizers, state="PreparingNormal")

    assert next_state(one, PRE_NORMAL, "r2", needs_node=False) == expected


@pytest.mark.parametrize("lifecycle", [None, {}, BLOCK], ids=["no lifecycle", "an empty one", "another hook"])
def test_without_the_hook_a_pod_becomes_normal_wherever_it_is(lifecycle: Any) -> None:
    """L-1: unlike a CloneSet's pod it need not be bound to a node."""
    assert next_state(pod(0, state="PreparingNormal"), lifecycle, "r2", needs_node=False) == "Normal"


def test_a_pass_makes_it_normal_before_it_is_bound() -> None:
    at = situation(statefulset("PA n 1"), [pod(0, "r2", state="PreparingNormal")])

    assert decide(at) == "0 → Normal"


@pytest.mark.parametrize(
    ("hold", "expected"),
    [("true", "2 → PreparingDelete"), ("false", "delete 2")],
    ids=["X-35 it carries the label", "X-35 it does not"],
)
def test_an_outdated_pod_that_is_not_yet_normal(hold: str, expected: str) -> None:
    view = statefulset("PA part 2", lifecycle={**HOLD, **PRE_NORMAL})
    at = situation(view, [pod(0), pod(1), pod(2, labels={"hold": hold}, state="PreparingNormal")])

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        (revision("r2"), "error at 2"),
        (
            revision("r2", metadata={"labels": {"app": "web"}}, spec={"containers": [{"name": "other"}]}),
            "2 stays PreparingDelete",
        ),
    ],
    ids=["X-36", "X-36 the change cannot be made in place"],
)
def test_an_outdated_pod_that_prepares_for_its_deletion(update: dict[str, Any], expected: str) -> None:
    view = statefulset("PA mu 1 InPlaceIfPossible", lifecycle=HOLD)
    listed = [pod(0), pod(1), pod(2, labels={"hold": "true"}, state="PreparingDelete")]

    assert decide(situation(view, listed, update=update)) == expected


def test_an_ordered_set_never_updates_a_pod_that_waits_for_its_hook() -> None:
    """L-8: the place stops the pass before the update stage, released or not."""
    view = statefulset("OR InPlaceIfPossible", lifecycle=BLOCK)
    listed = [_blocked(0), _blocked(1), _blocked(2, value="false", state="PreparingUpdate")]

    assert decide(situation(view, listed)) == ""


def test_a_lifecycle_without_hooks_takes_the_long_way() -> None:
    """L-2: Updating, Updated, and only then Normal."""
    view = statefulset("PA InPlaceIfPossible", lifecycle={})

    assert decide(situation(view, [pod(0, "r2", state="Updating"), *pods("1:r2 2:r2")])) == "0 → Updated"
    assert decide(situation(view, [pod(0, "r2", state="Updated"), *pods("1:r2 2:r2")])) == "0 → Normal"


def test_a_failed_pod_asks_again_in_an_ordered_set() -> None:
    """L-8: the delete decision of a pod that has ended is repeated by its place."""
    view = statefulset("OR", lifecycle=HOLD)
    held = pod(0, marks="F", labels={"hold": "true"}, state="PreparingDelete")
    let_go = pod(0, marks="F", labels={"hold": "false"}, state="PreparingDelete")

    assert decide(situation(view, [held])) == "0 stays PreparingDelete"
    assert decide(situation(view, [let_go])) == "delete 0"

"""What the replay tells of pods with fixed names: it notices what it is there for, and nothing that is chance."""

from typing import Any

import pytest

from tests.conformance.comparing.ordered import ordered_difference, waves
from tests.conformance.comparing.writes import Write


def make(pod: str) -> Write:
    return Write("create", "pods", pod, 201, {})


def delete(pod: str) -> Write:
    return Write("delete", "pods", pod, 200, None)


def update(pod: str) -> Write:
    labels = {"lifecycle.apps.kruise.io/state": "Updating"}
    return Write("update", "pods", pod, 200, {"metadata": {"labels": labels}})


def counted(ready: int, *, of: int = 2, over: bool = False, code: int = 200) -> Write:
    revisions = {"currentRevision": "new" if over else "old", "updateRevision": "new"}
    counters = {"replicas": of, "readyReplicas": ready, "availableReplicas": ready}
    return Write("update", "statefulsets/status", "web", code, {"status": {**revisions, **counters}})


ONE_BY_ONE = [delete("web-1"), counted(1), make("web-1"), delete("web-0"), counted(1), make("web-0")]
ENDED = [*ONE_BY_ONE, counted(2), counted(2, over=True)]


@pytest.mark.parametrize(
    ("ours", "difference"),
    [
        pytest.param(ENDED, "", id="the same"),
        pytest.param([counted(2), *ENDED], "", id="more is counted"),
        pytest.param([write for write in ENDED if "status" not in write.resource], "", id="less is counted"),
        pytest.param([delete("web-1"), *ENDED], "", id="a deletion is sent again"),
        pytest.param([counted(0, code=409), *ENDED], "", id="a status that was refused"),
        pytest.param(
            [delete("web-0"), make("web-0"), delete("web-1"), make("web-1")], "waves[0]", id="another order"
        ),
        pytest.param(
            [delete("web-1"), delete("web-0"), make("web-1"), make("web-0")], "waves[0]", id="two at once"
        ),
        pytest.param(ENDED[:-3], "waves", id="one is not made again"),
        pytest.param(
            [*ENDED, counted(0)], "unavailable at once: recorded 1, ours 2", id="one too many is out"
        ),
        pytest.param(
            [*ENDED[:-2], counted(1, over=True)], "status: ours ends the rollout", id="over too early"
        ),
    ],
)
def test_of_two_runs_what_is_no_chance_is_compared(ours: list[Write], difference: str) -> None:
    found = ordered_difference(ENDED, ours)

    assert found.startswith(difference) if difference else found == ""


def test_where_nothing_was_counted_nothing_can_be_too_much() -> None:
    writes = [delete("web-1"), make("web-1")]

    assert ordered_difference(writes, [*writes, counted(0)]) == ""


def test_pods_are_made_and_deleted_side_by_side_but_changed_one_after_the_other() -> None:
    def both(act: Any) -> list[Write]:
        return [act("web-0"), act("web-1")]

    for act in (make, delete):
        assert waves(both(act)) == waves(both(act)[::-1])
    assert waves(both(update)) != waves(both(update)[::-1])


def test_drawn_names_are_left_to_the_histories_of_pods() -> None:
    assert waves([make("web-p1"), delete("web-p2")]) == []

"""Status and conditions (cloneset.md §22, §28 ex. 24, 54–56)."""

import pytest

from kubectl_kruise.engine.cloneset.status import StatusPlan, plan_status
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import rfc3339
from tests.engine.cloneset.builders import NEW, NOW, OLD, cloneset, pod, pods

DEADLINE = {"progressDeadlineSeconds": 10}


def report(
    view: CloneSet, listed: list, *, current: str = OLD, status: dict | None = None, failures: tuple = ()
) -> StatusPlan:
    view.raw["status"] = status or {}
    return plan_status(
        view, listed, NOW, current_revision=current, update_revision=NEW, collisions=0, failures=failures
    )


def progressing(reason: str, updated: float, status: str = "True") -> dict:
    time = rfc3339(NOW - updated)
    return {
        "type": "Progressing",
        "status": status,
        "reason": reason,
        "lastUpdateTime": time,
        "lastTransitionTime": time,
    }


def test_counters() -> None:  # §22.1
    view = cloneset(replicas=7, partition=3)

    found = report(view, pods("o✓×3 n✓ n✗ n✓(Updating) n✓(pd)")).status

    assert found == {
        "observedGeneration": 1,
        "replicas": 7,
        "readyReplicas": 6,
        "availableReplicas": 4,
        "updatedReplicas": 4,
        "updatedReadyReplicas": 3,
        "updatedAvailableReplicas": 1,
        "expectedUpdatedReplicas": 4,
        "collisionCount": 0,
        "labelSelector": "app=demo",
        "updateRevision": NEW,
        "currentRevision": OLD,
    }


@pytest.mark.parametrize("collisions", [0, 2])
def test_collisions_of_revision_names_are_counted(collisions: int) -> None:  # §9.2
    plan = plan_status(
        cloneset(), [], NOW, current_revision=OLD, update_revision=NEW, collisions=collisions, failures=()
    )

    assert plan.status["collisionCount"] == collisions


def test_zeros_that_are_left_out() -> None:  # §1.7
    found = report(cloneset(replicas=0), []).status

    assert {"updatedAvailableReplicas", "expectedUpdatedReplicas", "conditions"}.isdisjoint(found)
    assert {
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
        "updatedReadyReplicas",
    } <= set(found)


@pytest.mark.parametrize(
    ("text", "current"),
    [("n✓×5", NEW), ("n✗×5", NEW), ("n✓×4 o✓", OLD), ("n✓×6", OLD)],
    ids=["all new", "readiness does not matter", "one old", "one too many"],
)
def test_current_moves_when_every_pod_is_new(text: str, current: str) -> None:  # §22.1
    assert report(cloneset(), pods(text)).status["currentRevision"] == current


@pytest.mark.parametrize(
    ("partition", "expected"),
    [(0, 5), ("40%", 3), ("100%", 0), ("bad", 0)],
    ids=["none", "percentage", "ex. 55", "unreadable"],
)
def test_expected_updated_replicas(partition: int | str, expected: int) -> None:
    assert report(cloneset(partition=partition), []).status.get("expectedUpdatedReplicas", 0) == expected


def test_written_only_when_it_says_something_new() -> None:  # §22.2
    view, listed = cloneset(), pods("o✓×5")
    first = report(view, listed)
    assert first.write

    same = {**first.status, "collisionCount": 3, "conditions": [{"type": "FailedScale", "status": "True"}]}
    assert not report(view, listed, status=same).write
    assert report(view, pods("o✓×4 o✗"), status=first.status).write
    assert report(view, listed, status={**first.status, "observedGeneration": 0}).write


def test_a_failure_is_noted_once() -> None:  # §22.3
    first = report(cloneset(), [], failures=(("FailedScale", "quota"),)).status

    assert first["conditions"] == [
        {"type": "FailedScale", "status": "True", "lastTransitionTime": rfc3339(NOW), "message": "quota"}
    ]
    again = report(cloneset(), [], status=first, failures=(("FailedScale", "other"),)).status
    assert again["conditions"] == first["conditions"]


PROGRESS = [
    ("available", {}, "n✓×5", NEW, None, ("True", "CloneSetAvailable")),
    ("paused", {"paused": True}, "o✓×5", OLD, None, ("True", "CloneSetPaused")),
    ("ex. 24: held by the partition", {"partition": 3}, "o✓×3 n✓×2", OLD, None, ("True", "ProgressPartitionAvailable")),
    ("ex. 55: nothing to update", {"partition": "100%"}, "o✓×5", OLD, None, ("True", "ProgressPartitionAvailable")),
    ("under way", {}, "o✓×3 n✓×2", OLD, None, ("True", "CloneSetUpdated")),
    ("deadline passed", {}, "o✓×3 n✓×2", OLD, progressing("CloneSetUpdated", 11), ("False", "ProgressDeadlineExceeded")),
    ("Q11: long after the last rollout", {}, "o✓×5", OLD, progressing("CloneSetAvailable", 99), ("False", "ProgressDeadlineExceeded")),
    ("sticky", {}, "o✓×5", OLD, progressing("ProgressDeadlineExceeded", 1, "False"), ("False", "ProgressDeadlineExceeded")),
    ("late success", {}, "n✓×5", NEW, progressing("ProgressDeadlineExceeded", 1, "False"), ("True", "CloneSetAvailable")),
    ("ex. 54: waiting for a hook", {}, "n✓×4 n✓(PreparingNormal)", NEW, None, ("True", "CloneSetUpdated")),
]  # fmt: skip


MESSAGES = {
    "CloneSetAvailable": "CloneSet is available",
    "CloneSetPaused": "CloneSet is paused",
    "ProgressPartitionAvailable": "CloneSet has been paused due to partition ready",
    "ProgressDeadlineExceeded": f"CloneSet revision {NEW} has timed out progressing",
    "CloneSetUpdated": "CloneSet is progressing",
}


@pytest.mark.parametrize(
    ("spec", "text", "current", "known", "expected"),
    [case[1:] for case in PROGRESS],
    ids=[case[0] for case in PROGRESS],
)
def test_progressing(
    spec: dict, text: str, current: str, known: dict | None, expected: tuple[str, str]
) -> None:  # §22.4
    status = {"conditions": [known]} if known else {}

    plan = report(cloneset(**DEADLINE, **spec), pods(text), current=current, status=status)

    found = condition({"status": plan.status}, "Progressing") or {}
    assert (found["status"], found["reason"]) == expected
    if known != found:
        assert found["message"] == MESSAGES[expected[1]]
    if known and (known["status"], known["reason"]) == expected:
        assert found == known
    elif known and known["status"] == expected[0]:
        assert found["lastTransitionTime"] == known["lastTransitionTime"]


@pytest.mark.parametrize(
    ("deadline", "updated", "requeue"),
    [(10, 5, 6), (4, 4, None), (4, 5, None)],
    ids=["before", "at it", "after"],
)
def test_looks_again_at_the_deadline(deadline: int, updated: int, requeue: float | None) -> None:  # ex. 56
    status = {"conditions": [progressing("CloneSetUpdated", updated)]}

    plan = report(cloneset(progressDeadlineSeconds=deadline), pods("o✓×5"), status=status)

    assert plan.requeue == requeue


def test_without_a_deadline_the_condition_goes() -> None:
    plan = report(cloneset(), pods("o✓×5"), status={"conditions": [progressing("CloneSetUpdated", 1)]})

    assert "conditions" not in plan.status
    assert plan.write


def test_ready_but_not_yet_normal() -> None:  # ex. 54
    found = report(cloneset(replicas=1), [pod("p0", state="PreparingNormal")], current=NEW).status

    assert (found["readyReplicas"], found["availableReplicas"], found["updatedReplicas"]) == (1, 0, 1)
    assert found["currentRevision"] == NEW

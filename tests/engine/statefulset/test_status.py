"""Revisions and status of a set (advanced-statefulset.md §4, §10, examples X-37 to X-43)."""

from collections.abc import Mapping
from typing import Any

import pytest

from kubectl_kruise.engine.revisions.choice import Write, build_revision, choose_current, choose_update
from kubectl_kruise.engine.revisions.content import data_bytes
from kubectl_kruise.engine.revisions.naming import fnv1, revision_hash, revision_name
from kubectl_kruise.engine.statefulset.status import StatusPlan, plan_status
from kubectl_kruise.engine.statefulset.steps import Counter
from kubectl_kruise.objects.raw import name_of
from tests.engine.statefulset.builders import NOW, decide, pod, pods, revision, situation, statefulset


def _workload(image: str = "a:1", *, current: str = "", **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    raw = statefulset("PA", template=template, status={"currentRevision": current}, **spec).raw
    return {**raw, "metadata": {**raw["metadata"], "labels": {"team": "a"}}}


def _recorded(image: str, number: int) -> dict[str, Any]:
    return build_revision(_workload(image), number)


def test_the_first_revision() -> None:
    """X-37: number 1, at once current and update revision."""
    choice = choose_update(_workload(), [])

    assert (choice.write, choice.update["revision"]) == (Write.CREATE, 1)
    assert choose_current(_workload(), [], choice.update) is choice.update


def test_back_and_forth() -> None:
    """X-38."""
    listed = [_recorded("a:0", 1), _recorded("a:1", 2), _recorded("a:2", 3)]
    workload = _workload("a:1", current=name_of(listed[0]))
    choice = choose_update(workload, listed)

    assert (choice.write, name_of(choice.update), choice.update["revision"]) == (
        Write.UPDATE,
        name_of(listed[1]),
        4,
    )
    assert choose_current(workload, listed, choice.update) is listed[0]


@pytest.mark.parametrize(
    "change",
    [
        {"replicas": 9},
        {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]},
        {"meta": {"labels": {"team": "b"}}},
    ],
    ids=["X-39 replicas", "X-39 claim templates", "X-39 a label of the set"],
)
def test_what_makes_no_revision(change: dict[str, Any]) -> None:
    listed = [_recorded("a:1", 1)]

    assert choose_update(_workload(**change), listed).write is Write.NONE


DATA = (
    b'{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"web"}},'
    b'"spec":{"containers":[{"image":"nginx:1.25","imagePullPolicy":"Always","name":"nginx","resources":{},'
    b'"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],'
    b'"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler",'
    b'"securityContext":{},"terminationGracePeriodSeconds":30}}}}'
)


def test_a_known_name() -> None:
    """X-40 and the check value of [R-3]."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "containers": [
                {
                    "image": "nginx:1.25",
                    "imagePullPolicy": "Always",
                    "name": "nginx",
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                }
            ],
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        },
    }
    made = build_revision(statefulset("PA", template=template).raw, 1)

    assert data_bytes(made["data"]) == DATA
    assert fnv1(DATA + b"0") == 3559317177
    assert name_of(made) == "web-799f75c5cc"
    assert revision_name("web", revision_hash(DATA, 1)) == "web-799f75c5cb"


def _status(
    spec: str,
    existing: list[dict[str, Any]],
    *,
    stored: Mapping[str, Any] | None = None,
    lowered: Mapping[Counter, int] | None = None,
    current: str = "r1",
    **more: Any,
) -> StatusPlan:
    view = statefulset(spec, status=stored, **more)
    at = situation(view, existing, current=revision(current))
    return plan_status(
        view,
        at.slots,
        lambda _: None,
        NOW,
        current=current,
        update="r2",
        collisions=0,
        lowered=lowered or {},
    )


def _counts(plan: StatusPlan, *names: str) -> list[Any]:
    return [plan.status.get(f"{name}Replicas", 0) for name in names]


def test_a_rollout_that_ends_before_all_pods_are_there() -> None:
    """X-41: the created pods alone are compared ([ST-4])."""
    existing = pods("0:r2 1:r2 2:r2")

    assert decide(situation(statefulset("PA n 5"), existing)) == "create 3@r2, create 4@r2"
    assert _status("PA n 5", existing).status["currentRevision"] == "r2"


def test_a_partition_does_not_keep_it_from_ending() -> None:
    """X-42: the pass that makes the first lost pod ends the rollout, so that the next one is new."""
    existing = pods("2:r2")

    assert decide(situation(statefulset("OR part 2"), existing)) == "create 0@r1"
    assert _status("OR part 2", existing).status["currentRevision"] == "r2"
    ended = situation(statefulset("OR part 2"), pods("0:r1 2:r2"), current=revision("r2"))
    assert decide(ended) == "create 1@r2"


def test_a_set_without_pods() -> None:
    """X-43."""
    assert _status("PA n 0", []).status["currentRevision"] == "r2"


@pytest.mark.parametrize(
    ("spec", "existing", "more"),
    [
        ("PA n 3", "0:r2 1:r2 2:r2-", {}),
        ("PA n 3", "0:r1 1:r2 2:r2", {}),
        ("PA n 3", "0:r2 1:r2 2:r2T", {}),
        ("PA n 3", "0:r2 1:r2 2:r2", {"updateStrategy": {"type": "OnDelete"}}),
        ("PA n 3", "0:r2 1:r2 2:r2", {"updateStrategy": {"type": "Other"}}),
    ],
    ids=[
        "one is not ready",
        "one is old",
        "one terminates",
        "OnDelete never ends",
        "nor does a type nobody knows",
    ],
)
def test_when_a_rollout_goes_on(spec: str, existing: str, more: dict[str, Any]) -> None:
    """ST-4."""
    assert _status(spec, pods(existing), **more).status["currentRevision"] == "r1"


def test_min_ready_seconds_do_not_keep_a_rollout_from_ending() -> None:
    """ST-4: readiness decides, not availability."""
    plan = _status("PA n 1 ready 60", pods("0:r2~5"))

    assert plan.status["currentRevision"] == "r2"
    assert _counts(plan, "ready", "available", "updatedReady", "updatedAvailable") == [1, 0, 1, 0]


def test_counters() -> None:
    """§4: terminating pods are ready and available, but of no revision; condemned ones count, missing ones do not."""
    plan = _status("PA n 6", pods("0:r1 1:r1- 2:r2T 3:r2 9:r1"))

    assert _counts(plan, "ready", "available", "current", "updated") == [4, 4, 3, 1]
    assert plan.status["replicas"] == 5
    assert _counts(plan, "updatedReady", "updatedAvailable") == [2, 2]


def test_steps_of_the_pass_lower_counters() -> None:
    """ST-3."""
    plan = _status("PA", pods("0 1 2"), lowered={Counter.CURRENT: 1})

    assert _counts(plan, "current", "updated") == [2, 0]


def test_what_is_left_out() -> None:
    """ST-0."""
    assert _status("PA n 1", [pod(0, "r1", "-")]).status == {
        "observedGeneration": 1,
        "replicas": 1,
        "readyReplicas": 0,
        "availableReplicas": 0,
        "currentReplicas": 1,
        "updatedReplicas": 0,
        "currentRevision": "r1",
        "updateRevision": "r2",
        "collisionCount": 0,
        "labelSelector": "app=web",
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, False),
        ({"observedGeneration": 0}, True),
        ({"readyReplicas": 3}, True),
        ({"currentRevision": "r0"}, True),
        ({"labelSelector": ""}, True),
        ({"updatedReadyReplicas": 7}, False),
        ({"conditions": [{"type": "FailedCreatePod", "status": "True"}]}, False),
        ({"collisionCount": 3}, False),
        ({"volumeClaims": [{"volumeClaimName": "gone", "compatibleReplicas": 1}]}, True),
    ],
)
def test_when_it_is_written(change: dict[str, Any], expected: bool) -> None:
    """ST-6."""
    existing = pods("0 1 2-")
    stored = _status("PA", existing).status

    assert _status("PA", existing, stored={**stored, **change}).write is expected

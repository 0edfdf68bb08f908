"""PodUnavailableBudgets: counting and permission (small-kinds.md §2.2, §2.3)."""

from typing import Any

import pytest

from kubectl_kruise.engine.budget import (
    Answer,
    Operation,
    ask,
    counts_as_update,
    desired_available,
    pod_available,
    recount,
    total_replicas,
)
from kubectl_kruise.objects.notation.timestamp import rfc3339

Raw = dict[str, Any]
NOW = 1_800_000_000.0


def pod(
    name: str = "a", *, ready: bool = True, phase: str = "Running", image: str = "app:1", **meta: Any
) -> Raw:
    return {
        "metadata": {"name": name, **meta},
        "spec": {"containers": [{"name": "app", "image": image}]},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
            "containerStatuses": [{"name": "app", "image": image, "imageID": "registry/app@sha256:aa"}],
        },
    }


def budget(
    *, allowed: int = 1, desired: int = 2, annotations: Any = None, spec: Any = None, **status: Any
) -> Raw:
    return {
        "metadata": {"name": "pub", "generation": 1, "annotations": annotations or {}},
        "spec": spec or {"maxUnavailable": 1},
        "status": {"unavailableAllowed": allowed, "desiredAvailable": desired, **status},
    }


@pytest.mark.parametrize(
    ("spec", "total", "desired"),
    [
        ({"maxUnavailable": "25%"}, 5, 3),
        ({"maxUnavailable": "25%"}, 9, 6),
        ({"minAvailable": "50%"}, 9, 5),
        ({"minAvailable": 12}, 9, 12),
        ({"minAvailable": 12}, 1, 12),
        ({"maxUnavailable": "50%"}, 10, 5),
        ({"maxUnavailable": 3}, 1, 0),
    ],
)
def test_worked_examples(spec: Raw, total: int, desired: int) -> None:  # small-kinds.md §2.4
    assert desired_available(budget(spec=spec), total) == desired


def test_the_annotated_total_stands_above_the_workloads() -> None:
    assert total_replicas(budget(), [2, 3]) == 5
    assert total_replicas(budget(annotations={"pub.kruise.io/protect-total-replicas": "10"}), [2]) == 10


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (pod(), True),
        (pod(ready=False), False),
        (pod(phase="Pending"), False),
        (pod(deletionTimestamp="2026-01-01T00:00:00Z"), False),
        (pod(labels={"unavailable-pod.kruise.io/ops": ""}), False),
        (
            pod(annotations={"apps.kruise.io/inplace-update-state": '{"lastContainerStatuses":{"gone":{}}}'}),
            False,
        ),
        (pod(image="app@sha256:aa"), True),
        (pod(image="app@sha256:bb"), False),
    ],
    ids=["at work", "not ready", "pending", "ending", "labelled", "updating", "digest", "another digest"],
)
def test_availability(found: Raw, *, expected: bool) -> None:  # P-6
    assert pod_available(found) is expected


PROTECT = "kruise.io/pub-protect-operations"
YES, NO = Answer(), Answer("pub unavailable allowed is negative")


@pytest.mark.parametrize(
    ("rules", "found", "operation", "answer"),
    [
        (None, pod(), Operation.DELETE, YES),
        ({key: value for key, value in budget().items() if key != "status"}, pod(), Operation.DELETE, YES),
        (budget(allowed=0), pod(), Operation.DELETE, NO),
        (budget(allowed=0), pod(), Operation.UPDATE, NO),
        (budget(allowed=0), pod(annotations={"pub.kruise.io/no-protect": "true"}), Operation.DELETE, YES),
        (budget(allowed=0), pod(ready=False), Operation.DELETE, YES),
        (budget(allowed=0, desired=0), pod(), Operation.DELETE, YES),
        (budget(allowed=0, annotations={PROTECT: "DELETE"}), pod(), Operation.EVICT, YES),
        (budget(allowed=0, annotations={PROTECT: "DELETE"}), pod(), Operation.DELETE, NO),
        (budget(allowed=0, disruptedPods={"a": "x"}), pod(), Operation.DELETE, YES),
        (budget(allowed=0, unavailablePods={"a": "x"}), pod(), Operation.DELETE, YES),
        (budget(allowed=9, disruptedPods={str(i): "x" for i in range(2001)}), pod(), Operation.DELETE, NO),
    ],
    ids=[
        "no budget", "a budget that nobody has counted", "a deletion too many", "an update too many", "not protected", "not ready anyway",
        "nothing desired", "operation not listed", "operation listed", "on record", "on record by an update",
        "too many on record",
    ],
)  # fmt: skip
def test_permission(rules: Raw | None, found: Raw, operation: Operation, answer: Answer) -> None:  # P-5, P-8
    assert ask(rules, found, operation, NOW) == answer


@pytest.mark.parametrize(
    ("operation", "field"),
    [
        (Operation.DELETE, "disruptedPods"),
        (Operation.EVICT, "disruptedPods"),
        (Operation.UPDATE, "unavailablePods"),
    ],
)
def test_a_permission_is_written_down_first(operation: Operation, field: str) -> None:  # P-10
    answer = ask(budget(allowed=2), pod(), operation, NOW)

    assert answer.status is not None
    assert answer.status["unavailableAllowed"] == 1
    assert answer.status[field] == {"a": rfc3339(NOW)}


def test_counting() -> None:
    counted = recount(budget(), [pod("a"), pod("b"), pod("c", ready=False)], 3, NOW)

    assert counted.status == {
        "currentAvailable": 2,
        "desiredAvailable": 2,
        "observedGeneration": 1,
        "totalReplicas": 3,
        "unavailableAllowed": 0,
    }
    assert counted.wait is None


@pytest.mark.parametrize(
    ("field", "age", "kept", "expired"),
    [
        ("unavailablePods", 9, True, ()),
        ("unavailablePods", 10, False, ()),
        ("disruptedPods", 19, True, ()),
        ("disruptedPods", 20, False, ("a",)),
    ],
)
def test_how_long_a_permission_counts(field: str, age: int, *, kept: bool, expired: tuple[str, ...]) -> None:
    booked = budget(**{field: {"a": rfc3339(NOW - age), "gone": rfc3339(NOW)}})
    counted = recount(booked, [pod("a"), pod("b")], 2, NOW)

    assert (counted.status.get(field) == {"a": rfc3339(NOW - age)}) is kept
    assert counted.status["currentAvailable"] == (1 if kept else 2)
    assert counted.expired == expired
    assert (counted.wait is not None) is kept


def test_a_pod_that_ends_stays_on_record_until_it_is_gone() -> None:
    booked = budget(disruptedPods={"b": rfc3339(NOW - 5)})

    assert "disruptedPods" in recount(booked, [pod("a")], 2, NOW, ending={"b"}).status
    assert "disruptedPods" not in recount(booked, [pod("a")], 2, NOW).status


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (pod(image="app:2"), True),
        (pod(labels={"unavailable-pod.kruise.io/ops": ""}), True),
        (pod(labels={"a": "b"}, annotations={"c": "d"}), False),
    ],
    ids=["the spec", "out of service by label", "other metadata"],
)
def test_which_writes_are_updates(new: Raw, *, expected: bool) -> None:  # P-9
    assert counts_as_update(new, pod()) is expected

"""One line of a list for kinds of any sort: rollout-operations.md §4, §5."""

from typing import Any

import pytest

from kubectl_kruise.engine.overview import overview
from kubectl_kruise.facts.kinds import DAEMONSET, NATIVE_DAEMONSET, NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.objects.workload import Workload

ALL = {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 3, "availableReplicas": 3}
DAEMONS = {
    "desiredNumberScheduled": 4, "numberReady": 4, "updatedNumberScheduled": 4, "numberAvailable": 4,
}  # fmt: skip


def workload(kind: Kind, status: dict[str, int], *, observed: int = 1, **strategy: Any) -> Workload:
    meta = {"name": "db", "generation": 1}
    spec = {"replicas": 3, "updateStrategy": strategy}
    version = f"{kind.group}/{kind.versions[0]}"
    counted = {"observedGeneration": observed, **status}
    return Workload({"apiVersion": version, "metadata": meta, "spec": spec, "status": counted}, kind)


@pytest.mark.parametrize(
    ("seen", "status", "numbers"),
    [
        pytest.param(workload(STATEFULSET, ALL), "done", (3, 3, 3, 3, 0), id="all there"),
        pytest.param(
            workload(STATEFULSET, {"replicas": 3, "readyReplicas": 3, "updatedReplicas": 3}), "done", (3, 3, 3, 3, 0),
            id="a controller that counts no available pods: ready ones stand for them",
        ),
        pytest.param(
            workload(STATEFULSET, {**ALL, "availableReplicas": 1}), "progressing 1/3", (3, 3, 1, 3, 0),
            id="ready, but not for long enough",
        ),
        pytest.param(
            workload(STATEFULSET, {**ALL, "updatedReplicas": 1}, rollingUpdate={"partition": 2}), "done",
            (3, 1, 1, 1, 2), id="held by the partition",
        ),
        pytest.param(
            workload(STATEFULSET, {**ALL, "updatedReplicas": 1}, rollingUpdate={"paused": True}), "paused",
            (3, 1, 1, 3, 0), id="paused",
        ),
        pytest.param(
            workload(NATIVE_STATEFULSET, {**ALL, "updatedReplicas": 1}, type="OnDelete"), "held", (3, 1, 1, 3, 0),
            id="on delete: held once all pods are up",
        ),
        pytest.param(
            workload(NATIVE_STATEFULSET, {**ALL, "updatedReplicas": 1, "availableReplicas": 2}, type="OnDelete"),
            "progressing 1/3", (3, 1, 1, 3, 0), id="on delete: a pod is on its way",
        ),
        pytest.param(workload(STATEFULSET, ALL, observed=0), "pending", (3, 3, 3, 3, 0), id="not observed"),
        pytest.param(workload(DAEMONSET, DAEMONS), "done", (4, 4, 4, 4, 0), id="daemons"),
        pytest.param(
            workload(NATIVE_DAEMONSET, {**DAEMONS, "numberAvailable": 2}), "progressing 2/4", (4, 4, 2, 4, 0),
            id="daemons on their way",
        ),
    ],
)  # fmt: skip
def test_status_and_numbers(seen: Workload, status: str, numbers: tuple[int, ...]) -> None:
    found = overview(seen)

    assert found.status == status
    assert (found.desired, found.updated, found.done, found.target, found.held) == numbers


def test_an_object_being_deleted() -> None:
    seen = workload(STATEFULSET, ALL)
    seen.raw["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

    assert overview(seen).status == "terminating"

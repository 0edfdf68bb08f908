"""What of two workloads counts as available: never more than is certain (migration.md §6.1 G3b)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.levels import Side, levels_of, owned_by_any
from kubectl_kruise.engine.migration.surge import Levels
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload


def pod(
    name: str, *, ready: bool = True, deleting: bool = False, phase: str = "Running", owner: str = "rs"
) -> Raw:
    meta: Raw = {"name": name, "uid": name, "ownerReferences": [{"uid": owner, "controller": True}]}
    if deleting:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    return {"metadata": meta, "status": {"phase": phase, "conditions": [condition]}}


def side(
    pods: list[Raw], *, wanted: int, kept: int | None = None, generation: int = 1, **status: Any
) -> Side:
    raw: Raw = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "generation": generation},
        "spec": {"replicas": wanted},
        "status": {"observedGeneration": 1, **status},
    }
    return Side(Workload(raw, DEPLOYMENT), pods, wanted if kept is None else kept)


READY = [pod("a"), pod("b"), pod("c")]


@pytest.mark.parametrize(
    ("pods", "wanted", "counted", "available"),
    [
        pytest.param(READY, 3, 3, 3, id="all of them"),
        pytest.param(READY, 3, 2, 2, id="not yet for minReadySeconds"),
        pytest.param([*READY[:2], pod("c", ready=False)], 3, 3, 2, id="a status that is older than the pods"),
        pytest.param([*READY[:2], pod("c", deleting=True)], 3, 3, 2, id="one that is ending"),
        pytest.param([*READY[:2], pod("c", phase="Failed")], 3, 3, 2, id="one that has failed"),
        pytest.param(READY, 2, 3, 2, id="one has yet to go"),
        pytest.param(
            [*READY, pod("d", ready=False)], 3, 3, 2, id="an available one may be the one that goes"
        ),
        pytest.param(READY[:1], 3, 0, 0, id="nobody has counted"),
    ],
)
def test_available(pods: list[Raw], wanted: int, counted: int, available: int) -> None:
    assert side(pods, wanted=wanted, availableReplicas=counted).available == available


def test_a_deployment_in_its_own_rollout_keeps_more_than_it_wants() -> None:
    pods = [*READY, pod("d", ready=False)]
    assert side(pods, wanted=3, kept=4, availableReplicas=3, replicas=4).available == 3
    assert side(pods, wanted=3, kept=4, availableReplicas=3, replicas=4).settled


@pytest.mark.parametrize(
    ("pods", "kept", "replicas", "generation", "settled"),
    [
        pytest.param(READY, 3, 3, 1, True, id="carried out"),
        pytest.param(READY[:2], 3, 2, 1, True, id="fewer than it may have"),
        pytest.param(READY, 2, 2, 1, False, id="a pod has yet to go"),
        pytest.param(READY[:2], 2, 3, 1, False, id="its status is not up to date"),
        pytest.param(READY, 3, 3, 2, False, id="nobody has looked at it"),
    ],
)
def test_settled(pods: list[Raw], kept: int, replicas: int, generation: int, settled: bool) -> None:
    assert side(pods, wanted=kept, replicas=replicas, generation=generation).settled is settled


def test_names_of_what_is_in_the_way() -> None:
    pods = [pod("z", ready=False), pod("y", ready=False), pod("x", deleting=True), *READY]
    assert (side(pods, wanted=5).unready, side(pods, wanted=5).ending) == (["y", "z"], ["x"])


def test_levels_and_owners() -> None:
    giving, getting = side(READY, wanted=3, availableReplicas=3), side([], wanted=1)
    assert levels_of(giving, getting) == Levels(3, 3, 1, 0)
    assert owned_by_any([*READY, pod("d", owner="other")], {"rs"}) == READY

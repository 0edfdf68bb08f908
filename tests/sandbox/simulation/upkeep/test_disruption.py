"""Disruption budgets as the native controller counts them (migration.md §2.3 K8)."""

from typing import Any

import pytest

from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import DEPLOYMENT, PDB, POD, REPLICASET
from kubectl_kruise.objects.raw import name_of
from tests.sandbox.simulation.world import World

COUNTS = ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed")


def world(replicas: int = 4, **budget: Any) -> World:
    made = World()
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    made.create(DEPLOYMENT, {"metadata": {"name": "web"}, "spec": spec})
    made.create(PDB, {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": labels}, **budget}})
    made.run(30)
    return made


def counts(made: World) -> tuple[int, ...]:
    status = made.get(PDB, "web")["status"]
    return tuple(status[key] for key in COUNTS)


def evict(made: World, pod: str) -> int:
    try:
        made.user.create(POD.path("default", pod, subresource="eviction"), {"metadata": {"name": pod}})
    except KruiseError as error:
        return error.http
    return 201


@pytest.mark.parametrize(
    ("budget", "owned", "unowned"),
    [
        pytest.param({"maxUnavailable": 1}, (4, 3, 4, 1), (0, 0, 4, 0), id="at most one missing"),
        pytest.param({"maxUnavailable": "30%"}, (4, 2, 4, 2), (0, 0, 4, 0), id="a share missing, rounded up"),
        pytest.param({"minAvailable": "60%"}, (4, 3, 4, 1), (0, 0, 4, 0), id="a share there, rounded up"),
        pytest.param({"minAvailable": 2}, (4, 2, 4, 2), (4, 2, 4, 2), id="a number there needs no owner"),
        pytest.param({"minAvailable": 9}, (4, 9, 4, 0), (4, 9, 4, 0), id="more than there are"),
    ],
)
def test_shares_are_of_what_the_owner_wants(
    budget: dict[str, Any], owned: tuple[int, ...], unowned: tuple[int, ...]
) -> None:
    made = world(**budget)
    assert counts(made) == owned

    made.delete(DEPLOYMENT, "web", propagationPolicy="Orphan")
    made.run(5)
    made.delete(REPLICASET, name_of(made.all(REPLICASET)[0]), propagationPolicy="Orphan")
    made.run(5)
    assert counts(made) == unowned
    assert made.events("UnmanagedPods") or owned == unowned


def test_an_eviction_counts_until_its_pod_is_gone_and_replaced() -> None:
    made = world(maxUnavailable=1)
    first, second, *_ = (name_of(pod) for pod in made.pods())

    assert (evict(made, first), evict(made, second)) == (201, 429)
    made.run(60)
    assert counts(made) == (4, 3, 4, 1)
    assert evict(made, second) == 201


def test_an_eviction_that_came_to_nothing_is_forgotten_after_two_minutes() -> None:
    made = world(maxUnavailable=1)
    pod = name_of(made.pods()[0])
    status = made.get(PDB, "web")["status"]
    now = made.get(PDB, "web")["status"]["conditions"][0]["lastTransitionTime"]
    made.patch(PDB, "web", {"status": {**status, "disruptedPods": {pod: now}}}, part="status")

    made.run(5)
    assert counts(made) == (4, 3, 3, 0)
    made.run(180)
    assert counts(made) == (4, 3, 4, 1)


def test_conditions_say_whether_a_pod_may_go() -> None:
    made = world(maxUnavailable=0)

    (condition,) = made.get(PDB, "web")["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "DisruptionAllowed",
        "False",
        "InsufficientPods",
    )

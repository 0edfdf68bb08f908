from typing import Any

import pytest

from kubectl_kruise.cluster.port import DryRun, Patch, PatchType
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, RESOURCE_QUOTA
from tests.sandbox.simulation.world import World

Amounts = dict[str, str]


def pod(name: str, requests: Amounts | None = None, limits: Amounts | None = None) -> dict[str, Any]:
    resources = {
        part: given for part, given in (("requests", requests), ("limits", limits)) if given is not None
    }
    container = {"name": "main", "image": "nginx:1", "resources": resources}
    return {"metadata": {"name": name}, "spec": {"containers": [container]}}


def refusal(world: World, body: dict[str, Any]) -> str:
    with pytest.raises(KruiseError) as refused:
        world.create(POD, body)
    assert (refused.value.http, refused.value.status["reason"]) == (403, "Forbidden")
    return str(refused.value.status["message"]).partition("is forbidden: ")[2]


def used(world: World, name: str = "few") -> Amounts:
    return world.get(RESOURCE_QUOTA, name)["status"]["used"]


@pytest.fixture
def world() -> World:
    return World()


def limit(world: World, hard: Amounts, name: str = "few", **spec: Any) -> None:
    world.create(RESOURCE_QUOTA, {"metadata": {"name": name}, "spec": {"hard": hard, **spec}})
    world.run(1)


def test_a_new_quota_is_counted_before_anything_asks_for_it(world: World) -> None:
    world.create(POD, pod("early", {"cpu": "250m"}))
    limit(world, {"requests.cpu": "1", "pods": "3", "count/deployments.apps": "2"})

    status = world.get(RESOURCE_QUOTA, "few")["status"]

    assert status["hard"] == {"requests.cpu": "1", "pods": "3", "count/deployments.apps": "2"}
    assert status["used"] == {"requests.cpu": "250m", "pods": "1", "count/deployments.apps": "0"}


def test_a_quota_that_nobody_counted_yet_lets_everything_through(world: World) -> None:
    world.create(RESOURCE_QUOTA, {"metadata": {"name": "few"}, "spec": {"hard": {"pods": "0"}}})

    assert world.create(POD, pod("a"))["metadata"]["name"] == "a"


def test_what_is_beyond_a_quota_is_refused_with_the_amounts(world: World) -> None:
    limit(world, {"requests.cpu": "1", "limits.memory": "1Gi", "pods": "5"})
    world.create(POD, pod("a", {"cpu": "600m"}, {"memory": "512Mi"}))

    assert refusal(world, pod("b", {"cpu": "600m"}, {"memory": "600Mi"})) == (
        "exceeded quota: few, requested: limits.memory=600Mi,requests.cpu=600m, "
        "used: limits.memory=512Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1"
    )


def test_a_limited_resource_has_to_be_asked_for_by_every_container(world: World) -> None:
    limit(world, {"requests.cpu": "1", "limits.memory": "1Gi"})

    assert (
        refusal(world, pod("a", {"cpu": "1m"})) == "failed quota: few: must specify limits.memory for: main"
    )
    assert refusal(world, pod("a")) == (
        "failed quota: few: must specify limits.memory for: main; requests.cpu for: main"
    )


def test_usage_counts_at_once_and_is_given_back_when_a_pod_is_gone(world: World) -> None:
    limit(world, {"pods": "2", "count/pods": "9"})
    for name in ("a", "b"):
        world.create(POD, pod(name))
    counted = used(world)
    assert refusal(world, pod("c")) == "exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2"

    world.run(1)
    world.user.delete(POD.path("default", "a"))
    world.run(2)

    assert counted == {"pods": "2", "count/pods": "2"}
    assert used(world) == {"pods": "1", "count/pods": "1"}


def test_a_pod_that_has_ended_counts_as_an_object_alone(world: World) -> None:
    limit(world, {"pods": "2", "count/pods": "9"})
    world.create(POD, pod("a"))
    world.run(1)
    path = POD.path("default", "a", subresource="status")
    world.user.patch(path, Patch(PatchType.MERGE, {"status": {"phase": "Failed"}}))
    world.run(1)

    assert used(world) == {"pods": "0", "count/pods": "1"}


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [(["BestEffort"], "1"), (["NotBestEffort"], "2"), (["NotTerminating"], "3"), (["Terminating"], "0")],
    ids=["no requests at all", "any request", "no deadline", "with a deadline"],
)
def test_scopes_say_which_pods_count(world: World, scopes: list[str], expected: str) -> None:
    for number in range(2):
        world.create(POD, pod(f"asks-{number}", {"cpu": "1m"}))
    world.create(POD, pod("takes-what-is-there"))
    limit(world, {"pods": "9"}, scopes=scopes)

    assert used(world) == {"pods": expected}


def test_neither_dry_runs_nor_taken_names_cost_anything(world: World) -> None:
    limit(world, {"pods": "9"})
    world.create(POD, pod("a"))
    body = {"apiVersion": "v1", "kind": "Pod", **pod("b")}
    world.user.create(POD.path("default"), body, dry_run=DryRun.SERVER)
    with pytest.raises(KruiseError, match="already exists"):
        world.create(POD, pod("a"))

    assert used(world) == {"pods": "1"}


def test_deployments_count_by_their_resource(world: World) -> None:
    limit(world, {"count/deployments.apps": "1"})
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": pod("x")["spec"]}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    world.create(DEPLOYMENT, {"metadata": {"name": "web"}, "spec": spec})

    with pytest.raises(KruiseError) as refused:
        world.create(DEPLOYMENT, {"metadata": {"name": "other"}, "spec": spec})

    assert refused.value.status["message"] == (
        'deployments.apps "other" is forbidden: exceeded quota: few, requested: count/deployments.apps=1, '
        "used: count/deployments.apps=1, limited: count/deployments.apps=1"
    )


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"hard": {"pods": "1500m"}}, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'),
        ({"hard": {"cpu": "-1"}}, 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'),
        ({"hard": {"storage": "1"}}, 'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'),
        (
            {"hard": {"services": "1"}, "scopes": ["BestEffort"]},
            'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
        ),
        (
            {"hard": {"pods": "1"}, "scopes": ["BestEffort", "NotBestEffort"]},
            'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
        ),
        ({"scopes": ["Nope"]}, 'spec.scopes: Invalid value: ["Nope"]: unsupported scope'),
    ],
    ids=["half a pod", "less than nothing", "storage of what", "services have no scope", "both sides", "unknown scope"],
)  # fmt: skip
def test_limits_that_make_no_sense_are_refused(world: World, spec: dict[str, Any], complaint: str) -> None:
    with pytest.raises(KruiseError) as refused:
        world.create(RESOURCE_QUOTA, {"metadata": {"name": "few"}, "spec": spec})

    assert refused.value.status["message"] == f'ResourceQuota "few" is invalid: {complaint}'

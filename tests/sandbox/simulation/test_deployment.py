"""Rollouts of native Deployments, as the recordings of the real controller have them (DR1 to DR7)."""

import pytest

from kubectl_kruise.facts.kinds import DEPLOYMENT, POD, REPLICASET
from kubectl_kruise.objects.raw import Raw, annotations_of, name_of
from kubectl_kruise.sandbox.simulation import RECORDED
from tests.sandbox.simulation.world import NAMESPACE, World, conditions, deployment, image_change, reasons

REVISION = "deployment.kubernetes.io/revision"


def rolled_out(replicas: int = 3, **spec: object) -> World:
    world = World(RECORDED)
    world.create(DEPLOYMENT, deployment(replicas=replicas, **spec))
    world.run(10)
    return world


def sizes(world: World) -> dict[str, int]:
    """Size by revision number, of the ReplicaSets that have pods."""
    return {
        annotations_of(each)[REVISION]: each["spec"]["replicas"]
        for each in world.replicasets()
        if each["spec"]["replicas"]
    }


def counters(raw: Raw) -> Raw:
    return {
        key: value for key, value in raw["status"].items() if key not in ("conditions", "observedGeneration")
    }


def test_three_replicas_become_available() -> None:
    world = rolled_out()

    found, (replicaset,) = world.deployment(), world.replicasets()
    assert counters(found) == {
        "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "terminatingReplicas": 0,
    }  # fmt: skip
    assert reasons(found) == {
        "Available": "MinimumReplicasAvailable",
        "Progressing": "NewReplicaSetAvailable",
    }
    assert found["status"]["observedGeneration"] == found["metadata"]["generation"] == 1
    assert annotations_of(found) == {REVISION: "1"}
    assert annotations_of(replicaset) == {
        REVISION: "1",
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
    }
    digest = name_of(replicaset).removeprefix("web-")
    assert replicaset["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": digest}
    assert {each["metadata"]["labels"]["pod-template-hash"] for each in world.pods()} == {digest}
    assert all(name_of(each).startswith(f"web-{digest}-") for each in world.pods())
    assert world.events("ScalingReplicaSet") == [f"Scaled up replica set web-{digest} from 0 to 3"]
    assert len(world.events("SuccessfulCreate")) == 3


def test_an_update_goes_step_by_step_within_surge_and_unavailability() -> None:
    world = rolled_out(4)
    world.patch(DEPLOYMENT, "web", image_change("nginx:2"))
    seen = []
    for _ in range(60):
        world.run(0.1)
        status = world.deployment()["status"]
        seen.append((status.get("availableReplicas", 0), status.get("replicas", 0)))
        if reasons(world.deployment())["Progressing"] == "NewReplicaSetAvailable":
            break

    assert min(available for available, _ in seen) >= 3
    assert max(total for _, total in seen) <= 5
    world.run(5)
    assert sizes(world) == {"2": 4}
    assert len(world.pods()) == 4
    assert annotations_of(world.deployment()) == {REVISION: "2"}
    old, new = (
        name_of(each) for each in sorted(world.replicasets(), key=lambda each: annotations_of(each)[REVISION])
    )
    assert set(world.events("ScalingReplicaSet")) >= {
        f"Scaled up replica set {new} from 0 to 1",
        f"Scaled down replica set {old} from 4 to 3",
        f"Scaled up replica set {new} from 3 to 4",
        f"Scaled down replica set {old} from 1 to 0",
    }


def test_the_course_of_an_update_is_the_recorded_one() -> None:
    """Who waits for observedGeneration first never misreads the counters (sandbox-apiserver.md DR4, AT8)."""
    world = rolled_out(3)
    since = world.patch(DEPLOYMENT, "web", image_change("nginx:2"))["metadata"]["resourceVersion"]
    world.run(10)

    course = [change.object for change in world.user.watch(DEPLOYMENT.path(NAMESPACE), since, follow=False)]
    states = [
        (reasons(each)["Progressing"], each["status"]) for each in course if each["kind"] == "Deployment"
    ]
    assert list(dict.fromkeys(reason for reason, _ in states)) == [
        "NewReplicaSetCreated", "ReplicaSetUpdated", "NewReplicaSetAvailable",
    ]  # fmt: skip
    assert [status["observedGeneration"] for _, status in states] == [1, *[2] * (len(states) - 1)]
    assert states[0][1]["updatedReplicas"] == 3, (
        "of the old template, as long as the generation is the old one"
    )
    updated = [status.get("updatedReplicas", 0) for _, status in states[1:]]
    assert updated == sorted(updated)
    assert all(status.get("availableReplicas", 0) >= 3 for _, status in states)
    assert all(status.get("replicas", 0) <= 4 for _, status in states)
    assert all("terminatingReplicas" in status for _, status in states)


def test_paused_changes_nothing_but_the_size() -> None:
    world = rolled_out(2)
    world.patch(DEPLOYMENT, "web", {"spec": {"paused": True}})
    world.run(5)
    world.patch(DEPLOYMENT, "web", image_change("nginx:2"))
    world.patch(DEPLOYMENT, "web", {"spec": {"replicas": 4}})
    world.run(5)
    paused, held = world.deployment(), sizes(world)
    world.patch(DEPLOYMENT, "web", {"spec": {"paused": False}})
    world.run(20)

    assert reasons(paused)["Progressing"] == "DeploymentPaused"
    assert conditions(paused)["Progressing"] == "Unknown"
    assert counters(paused) == {
        "replicas": 4, "readyReplicas": 4, "availableReplicas": 4, "terminatingReplicas": 0,
    }  # fmt: skip
    assert held == {"1": 4}
    assert sizes(world) == {"2": 4}
    assert reasons(world.deployment())["Progressing"] == "NewReplicaSetAvailable"


def test_undo_takes_the_old_replicaset_and_gives_it_a_new_number() -> None:
    world = rolled_out(1, revisionHistoryLimit=2)
    for image in ("nginx:2", "nginx:3", "nginx:1"):
        world.patch(DEPLOYMENT, "web", image_change(image))
        world.run(10)
    undone = {annotations_of(each)[REVISION]: annotations_of(each) for each in world.replicasets()}
    world.patch(DEPLOYMENT, "web", image_change("nginx:4"))
    world.run(10)

    assert set(undone) == {"2", "3", "4"}
    assert undone["4"]["deployment.kubernetes.io/revision-history"] == "1"
    assert {annotations_of(each)[REVISION] for each in world.replicasets()} == {"3", "4", "5"}


def test_a_stuck_rollout_runs_out_of_time_and_is_replaced() -> None:
    world = rolled_out(2, progressDeadlineSeconds=5)
    world.patch(DEPLOYMENT, "web", image_change("bad:2"))
    world.run(4)
    early = reasons(world.deployment())["Progressing"]
    world.run(4)
    late = world.deployment()
    world.patch(DEPLOYMENT, "web", image_change("nginx:3"))
    world.run(10)

    assert early == "ReplicaSetUpdated"
    assert (conditions(late)["Progressing"], reasons(late)["Progressing"]) == (
        "False",
        "ProgressDeadlineExceeded",
    )
    assert conditions(late)["Available"] == "True"
    assert late["status"]["unavailableReplicas"] == 1
    assert sizes(world) == {"3": 2}
    assert reasons(world.deployment())["Progressing"] == "NewReplicaSetAvailable"


def test_min_ready_seconds_come_between_ready_and_available() -> None:
    world = World(RECORDED)
    world.create(DEPLOYMENT, deployment(replicas=2, minReadySeconds=5))
    world.run(3)
    early = world.deployment()
    world.run(5)

    assert early["status"]["readyReplicas"] == 2
    assert "availableReplicas" not in early["status"]
    assert world.deployment()["status"]["availableReplicas"] == 2


def test_recreate_waits_until_the_old_pods_are_gone() -> None:
    world = rolled_out(2, strategy={"type": "Recreate"})
    world.patch(DEPLOYMENT, "web", image_change("nginx:2"))
    world.run(0.9)
    assert [each["metadata"].get("deletionTimestamp") is not None for each in world.pods()] == [True, True]
    world.run(10)

    assert sizes(world) == {"2": 2}
    assert world.deployment()["status"]["availableReplicas"] == 2


def test_scaling_in_the_middle_of_a_rollout_is_spread() -> None:
    world = rolled_out(10)
    world.patch(DEPLOYMENT, "web", image_change("bad:2"))
    world.run(5)
    before = sizes(world)
    world.patch(DEPLOYMENT, "web", {"spec": {"replicas": 20}})
    world.run(5)

    assert before == {"1": 8, "2": 5}
    assert sizes(world) == {"1": 15, "2": 10}


def test_a_deployment_takes_over_an_orphaned_replicaset() -> None:
    world = rolled_out(2)
    uids = {each["metadata"]["uid"] for each in world.pods()}
    world.delete(DEPLOYMENT, "web", propagationPolicy="Orphan")
    world.run(5)
    world.create(DEPLOYMENT, deployment(replicas=2))
    world.run(5)

    (replicaset,) = world.replicasets()
    assert replicaset["metadata"]["ownerReferences"][0]["uid"] == world.deployment()["metadata"]["uid"]
    assert {each["metadata"]["uid"] for each in world.pods()} == uids


def test_a_taken_name_counts_as_a_collision() -> None:
    world = rolled_out(1)
    (found,) = world.replicasets()
    world.delete(DEPLOYMENT, "web")
    world.run(5)
    foreign = {"app": "foreign"}
    template = {"metadata": {"labels": foreign}, "spec": {"containers": [{"name": "x", "image": "x"}]}}
    squatter = {"replicas": 0, "selector": {"matchLabels": foreign}, "template": template}
    world.create(REPLICASET, {"metadata": {"name": name_of(found)}, "spec": squatter})
    world.create(DEPLOYMENT, deployment(replicas=1))
    world.run(5)

    assert world.deployment()["status"]["collisionCount"] == 1
    assert world.deployment()["status"]["availableReplicas"] == 1


def test_deleting_a_deployment_leaves_nothing() -> None:
    world = rolled_out(2)
    world.delete(DEPLOYMENT, "web")
    world.run(5)

    assert (world.replicasets(), world.pods()) == ([], [])


@pytest.mark.parametrize(
    "policy", [pytest.param("Foreground", id="Foreground"), pytest.param("Orphan", id="Orphan")]
)
def test_a_deployment_that_is_being_deleted_creates_nothing(policy: str) -> None:
    world = World(RECORDED)
    held = deployment(replicas=2)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world.create(DEPLOYMENT, held)
    world.run(5)
    world.delete(DEPLOYMENT, "web", propagationPolicy=policy)
    world.run(5)
    left = len(world.replicasets())
    world.patch(DEPLOYMENT, "web", image_change("nginx:2"))
    world.run(5)

    assert len(world.replicasets()) == left


def test_a_pod_that_stops_matching_is_released_and_replaced() -> None:
    world = rolled_out(2)
    name = name_of(world.pods()[0])
    world.patch(POD, name, {"metadata": {"labels": {"app": "other"}}})
    world.run(5)

    assert len(world.pods()) == 3
    assert "ownerReferences" not in world.pod(name)["metadata"]


def test_a_deleted_pod_is_replaced() -> None:
    world = rolled_out(2)
    gone = name_of(world.pods()[0])
    world.delete(POD, gone)
    world.run(5)

    assert len(world.pods()) == 2
    assert gone not in {name_of(each) for each in world.pods()}

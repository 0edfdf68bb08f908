"""CloneSets under feature gates and process flags, where the recordings do not show it (cloneset.md §3)."""

from collections import Counter
from typing import Any

from kubectl_kruise.controllers import cloneset
from kubectl_kruise.controllers.cloneset import Tuning
from kubectl_kruise.engine.gates import Gates, resolve_gates
from kubectl_kruise.facts.kinds import CRD, IMAGE_PULL_JOB, POD_UNAVAILABLE_BUDGET
from kubectl_kruise.objects.raw import labels_of, name_of
from kubectl_kruise.sandbox.hooks import Fault
from tests.controllers.cloneset.world import World
from tests.controllers.world import MANAGER, NAMESPACE

PREDOWNLOAD = resolve_gates({"PreDownloadImageForInPlaceUpdate": True})


def jobs(world: World) -> list[str]:
    return [name_of(job) for job in world.all(IMAGE_PULL_JOB)]


def held(world: World, replicas: int = 4) -> None:
    world.create(replicas, partition=replicas)
    world.run()
    world.set_image("nginx:2")


def test_a_pull_job_that_is_refused_holds_nothing_up() -> None:  # cloneset.md §23
    world = World(gates=PREDOWNLOAD)
    fault = Fault(verb="create", resource="imagepulljobs", code=500, count=-1)
    world.sandbox.hooks.faults.append(fault)
    held(world)
    world.run()

    assert jobs(world) == []
    assert world.reasons()["FailedCreateImagePullJob"] == 1
    world.change({"updateStrategy": {"partition": 0}})
    world.run(60)
    assert world.images() == ["nginx:2"] * 4


def test_a_mark_that_cannot_be_set_is_tried_again() -> None:
    world = World(gates=PREDOWNLOAD)
    world.sandbox.hooks.faults.append(
        Fault(verb="patch", resource="controllerrevisions", code=500, user_agent=MANAGER)
    )
    held(world)
    world.run()
    world.change({"revisionHistoryLimit": 5})
    world.run()

    assert len(jobs(world)) == 1
    assert world.reasons()["CreatedImagePullJob"] == 1


def test_without_pull_jobs_in_the_cluster_nothing_is_pulled_ahead() -> None:
    world = World(gates=PREDOWNLOAD)
    world.user.delete(CRD.path(name=IMAGE_PULL_JOB.resource))
    world.run(1)
    world.start()
    held(world)
    world.change({"updateStrategy": {"partition": 0}})
    world.run(60)

    assert world.images() == ["nginx:2"] * 4


def budget(world: World, **spec: Any) -> None:
    target = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web"}
    world.user.create(
        POD_UNAVAILABLE_BUDGET.path(NAMESPACE),
        {
            "apiVersion": "policy.kruise.io/v1alpha1",
            "kind": "PodUnavailableBudget",
            "metadata": {"name": "pub"},
            "spec": {"targetRef": target, **spec},
        },
    )


def allowed(world: World) -> int:
    found = world.user.get(POD_UNAVAILABLE_BUDGET.path(NAMESPACE, "pub"))
    return int(found["status"]["unavailableAllowed"])


def at_new_image(world: World) -> int:
    return world.images().count("nginx:2")


def test_a_budget_paces_an_update() -> None:
    """cloneset.md §14.5, small-kinds.md P-15: one pod about every ten seconds."""
    world = World(gates=Gates(budgets_hold_updates=True))
    budget(world, maxUnavailable=1)
    world.create(3, maxUnavailable="100%")
    world.run()
    assert allowed(world) == 1
    world.set_image("nginx:2")

    world.run(5)
    assert at_new_image(world) == 1
    world.run(5)
    assert at_new_image(world) <= 2
    world.run(30)
    assert at_new_image(world) == 3


def test_without_the_gate_nobody_asks_the_budget() -> None:
    world = World()
    world.create(3, maxUnavailable="100%")
    world.run()
    budget(world, maxUnavailable=0)
    world.set_image("nginx:2")
    world.run(5)

    assert at_new_image(world) == 3


def test_pods_of_before_are_marked_and_a_deleted_budget_holds_nothing() -> None:
    world = World(gates=Gates(budgets_hold_updates=True))
    world.create(3, maxUnavailable="100%")
    world.run()
    budget(world, minAvailable="100%")
    world.run(2)
    assert {pod["metadata"]["annotations"]["kruise.io/related-pub"] for pod in world.pods()} == {"pub"}
    world.set_image("nginx:2")
    world.run(30)
    assert at_new_image(world) == 0

    world.user.delete(POD_UNAVAILABLE_BUDGET.path(NAMESPACE, "pub"))
    world.run(5)
    assert at_new_image(world) == 3


def test_a_scaled_cloneset_is_counted_anew() -> None:
    world = World(gates=Gates(budgets_hold_updates=True))
    budget(world, maxUnavailable="50%")
    world.create(2)
    world.run()
    assert allowed(world) == 1

    world.change({"replicas": 4})
    world.run()
    assert allowed(world) == 2


def test_short_hashes_change_with_the_next_update() -> None:
    """cloneset.md §2.1: switching the gate touches no pod."""
    world = World(gates=Gates())
    world.create(2, partition=1)
    world.run()
    before = {labels_of(pod)["controller-revision-hash"] for pod in world.pods()}
    world.gates = Gates(short_hash=True)
    world.start()
    world.run()
    assert {labels_of(pod)["controller-revision-hash"] for pod in world.pods()} == before

    world.set_image("nginx:2")
    world.run()
    assert Counter("-" in labels_of(pod)["controller-revision-hash"] for pod in world.pods()) == {
        True: 1,
        False: 1,
    }


def test_the_flag_excludes_preparing_delete_from_every_cloneset() -> None:
    """cloneset.md §3, §10.3: a pod that waits for its hook is replaced at once."""
    hook = {"preDelete": {"labelsHandler": {"hold": "yes"}}}
    counts = {}
    for excluded in (False, True):
        world = World()
        world.tuning = Tuning(exclude_preparing_delete=excluded)
        world.start()
        template = {
            "metadata": {"labels": {"app": "web", "hold": "yes"}},
            "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
        }
        world.create(2, spec={"lifecycle": hook, "template": template})
        world.run()
        world.patch_pod(
            min(world.names()), {"metadata": {"labels": {"apps.kruise.io/specified-delete": "true"}}}
        )
        world.run()
        counts[excluded] = len(world.pods())

    assert counts == {False: 2, True: 3}


def test_workers() -> None:
    world = World()
    built = cloneset.build(world.user, world.clock, tuning=Tuning(workers=7))

    assert built[0].workers == 7

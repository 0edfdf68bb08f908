"""The CloneSet controller at work, step by step on a virtual clock."""

from collections import Counter

import pytest

from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, POD
from kubectl_kruise.objects.raw import labels_of, metadata, name_of, owner_of
from kubectl_kruise.sandbox.hooks import Fault
from tests.controllers.cloneset.world import World
from tests.controllers.world import NAMESPACE, Death


@pytest.fixture
def world() -> World:
    return World()


def available(world: World, count: int) -> None:
    status = world.status()
    assert (status["replicas"], status["availableReplicas"], status["updatedReplicas"]) == (
        count,
        count,
        count,
    )
    assert status["currentRevision"] == status["updateRevision"]


def test_creates_the_pods(world: World) -> None:
    world.create(5)
    world.run()

    available(world, 5)
    assert world.states() == Counter(Normal=5)
    assert world.reasons() == Counter(SuccessfulCreate=5)
    for pod in world.pods():
        assert name_of(pod) == f"web-{labels_of(pod)['apps.kruise.io/cloneset-instance-id']}"
        assert (owner_of(pod) or {})["name"] == "web"


def test_updates_in_place(world: World) -> None:
    world.create(3)
    world.run()
    before = {(name_of(pod), pod["status"]["podIP"]) for pod in world.pods()}
    world.set_image("nginx:2")
    world.run()

    available(world, 3)
    assert {(name_of(pod), pod["status"]["podIP"]) for pod in world.pods()} == before
    assert (world.images(), world.restarts()) == (["nginx:2"] * 3, [1, 1, 1])
    assert world.reasons()["SuccessfulUpdatePodInPlace"] == 3


def test_recreates_where_the_strategy_says_so(world: World) -> None:
    world.create(3, type="ReCreate")
    world.run()
    before = world.names()
    world.set_image("nginx:2")
    world.run()

    available(world, 3)
    assert not before & world.names()
    assert world.restarts() == [0, 0, 0]


def test_scales_in_and_out(world: World) -> None:
    world.create(3)
    world.run()
    for replicas in (6, 2, 0, 1):
        world.change({"replicas": replicas})
        world.run()
        available(world, replicas)


def test_partition_holds_and_lets_go(world: World) -> None:
    world.create(5, partition=3)
    world.run()
    world.set_image("nginx:2")
    world.run()
    assert Counter(world.images()) == Counter({"nginx:1": 3, "nginx:2": 2})
    assert world.status()["updatedAvailableReplicas"] == world.status()["expectedUpdatedReplicas"] == 2

    world.change({"updateStrategy": {"partition": 0}})
    world.run()
    available(world, 5)


def test_surge_keeps_everybody_in_service(world: World) -> None:
    world.create(3, type="ReCreate", maxSurge=1, maxUnavailable=0)
    world.run()
    world.set_image("nginx:2")
    lowest = 3
    for _ in range(120):
        world.run(0.5)
        lowest = min(lowest, world.status()["availableReplicas"])

    available(world, 3)
    assert lowest == 3


def test_pause_stops_an_update(world: World) -> None:
    world.create(3, paused=True)
    world.run()
    world.set_image("nginx:2")
    world.run()
    assert world.images() == ["nginx:1"] * 3

    world.change({"updateStrategy": {"paused": False}})
    world.run()
    available(world, 3)


def test_grace_period_passes_before_the_image_changes(world: World) -> None:
    world.create(1, inPlaceUpdateStrategy={"gracePeriodSeconds": 30})
    world.run()
    world.set_image("nginx:2")
    world.run(25)
    (pod,) = world.pods()
    assert pod["spec"]["containers"][0]["image"] == "nginx:1"
    assert "apps.kruise.io/inplace-update-grace" in metadata(pod)["annotations"]

    world.run(15)
    available(world, 1)
    assert "apps.kruise.io/inplace-update-grace" not in metadata(world.pods()[0])["annotations"]


def test_rollback_reuses_the_revision(world: World) -> None:
    world.create(2)
    world.run()
    first = world.status()["updateRevision"]
    world.set_image("nginx:2")
    world.run()
    world.set_image("nginx:1")
    world.run()

    available(world, 2)
    assert world.status()["updateRevision"] == first
    assert world.revisions() == [2, 3]


def test_chosen_pod_goes_and_its_name_with_it(world: World) -> None:
    world.create(4)
    world.run()
    chosen = min(world.names())
    world.change({"replicas": 3, "scaleStrategy": {"podsToDelete": [chosen]}})
    world.run()

    available(world, 3)
    assert chosen not in world.names()
    assert not world.live()["spec"]["scaleStrategy"].get("podsToDelete")


def test_specified_delete_label_replaces_the_pod(world: World) -> None:
    world.create(3)
    world.run()
    chosen = min(world.names())
    world.patch_pod(chosen, {"metadata": {"labels": {"apps.kruise.io/specified-delete": "true"}}})
    world.run()

    available(world, 3)
    assert chosen not in world.names()


def test_a_relabelled_pod_is_released(world: World) -> None:
    world.create(2)
    world.run()
    chosen = min(world.names())
    world.patch_pod(chosen, {"metadata": {"labels": {"app": "debug"}}})
    world.run()

    available(world, 2)
    assert owner_of(world.user.get(POD.path(NAMESPACE, chosen))) is None
    assert len(world.pods()) == 3


def test_history_is_trimmed(world: World) -> None:
    world.create(1, spec={"revisionHistoryLimit": 1})
    world.run()
    for number in range(2, 6):
        world.set_image(f"nginx:{number}")
        world.run()

    assert world.revisions() == [4, 5]


def test_pods_and_revisions_go_with_the_cloneset(world: World) -> None:
    world.create(2)
    world.run()
    world.user.delete(CLONESET.path(NAMESPACE, "web"), options={"propagationPolicy": "Background"})
    world.run()

    assert (world.pods(), world.all(CONTROLLER_REVISION)) == ([], [])


def test_creation_starts_slowly(world: World) -> None:  # cloneset.md §12.5
    world.sandbox.hooks.faults.append(Fault(verb="create", resource="pods", code=500, message="no", count=-1))
    world.create(8)
    world.sandbox.settle()

    assert world.writes()["POST pods"] == 2  # one a pass: the status of the first made it look again
    world.run(0.006)
    assert world.writes()["POST pods"] == 3
    conditions = {found["type"]: found for found in world.status()["conditions"]}
    assert conditions["FailedScale"]["message"] == "no"

    world.sandbox.hooks.faults.clear()
    world.run()
    available(world, 8)


def test_a_lost_race_is_no_failure(world: World) -> None:
    world.sandbox.hooks.faults.append(
        Fault(
            verb="update",
            resource="pods",
            subresource="status",
            user_agent="kruise-manager",
            code=409,
            reason="Conflict",
        )
    )
    world.create(1)
    world.run()

    available(world, 1)
    assert "conditions" not in world.status()


@pytest.mark.parametrize("sent", [False, True], ids=["before the write", "before its answer"])
def test_goes_on_after_a_death_at_any_write(sent: bool) -> None:
    """The CloneSet is created, then updated in place, then scaled in; the process dies once, anywhere."""
    survived = World()
    _story(survived)
    total = survived.transport.writes

    for last in range(1, total + 1):
        world = World()
        world.start(last, sent=sent)
        _story(world)

        available(world, 1)
        found = (world.images(), world.states(), world.restarts())
        assert found == (["nginx:2"], Counter(Normal=1), [1]), f"died at write {last}"


def _story(world: World) -> None:
    acts = (
        lambda: world.create(2, maxUnavailable=1),
        lambda: world.set_image("nginx:2"),
        lambda: world.change({"replicas": 1}),
    )
    for act in acts:
        act()
        try:
            world.run(10)
        except Death:
            world.start()
            world.run(10)


def test_writes_each_pod_as_seldom_as_the_manager(world: World) -> None:
    """Four writes to create a pod and four to update it in place, but for the odd lost race."""
    world.create(30)
    world.run()
    created = world.writes()
    world.sandbox.hooks.requests.clear()
    strategy = {"updateStrategy": {"maxUnavailable": "50%"}}
    world.change({**strategy, "template": {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}})
    world.run()

    available(world, 30)
    assert _to_pods(created) / 30 <= 4.1
    assert _to_pods(world.writes()) / 30 <= 4.3


def _to_pods(writes: Counter[str]) -> int:
    return sum(count for kind, count in writes.items() if " pods" in kind)


def test_defaults_are_never_written() -> None:
    world = World(webhooks=False)
    world.create(1)
    world.run()

    available(world, 1)
    assert "revisionHistoryLimit" not in world.live()["spec"]
    (revision,) = world.all(CONTROLLER_REVISION)
    assert revision["data"]["spec"]["template"]["spec"]["restartPolicy"] == "Always"


def test_a_selector_that_misses_the_template_makes_no_pods() -> None:
    world = World(webhooks=False)
    world.create(2, spec={"selector": {"matchLabels": {"app": "other"}}})
    world.run()

    assert world.pods() == []
    assert world.reasons() == Counter(FailedCreate=1)


def test_a_name_that_is_taken_is_a_failure(world: World) -> None:  # cloneset.md §26 Q21
    fault = Fault(
        verb="create", resource="pods", code=409, reason="AlreadyExists", message="pods already exists"
    )
    world.sandbox.hooks.faults.append(fault)
    world.create(1)
    world.run()

    available(world, 1)
    assert [found["type"] for found in world.status()["conditions"]] == ["FailedScale"]
    assert world.reasons()["FailedCreate"] == 1

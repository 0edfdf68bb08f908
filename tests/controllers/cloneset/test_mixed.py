"""Several features at once, each outcome reckoned by hand from the rules before it was tried."""

from collections import Counter

from tests.controllers.cloneset.world import World

OLD, NEW, BROKEN = "nginx:1", "nginx:2", "nginx:bad"


def counted(world: World) -> Counter[str]:
    return Counter(world.images())


def change_strategy(world: World, **fields: object) -> None:
    world.change({"updateStrategy": fields})
    world.run()


def test_surge_in_place_down_to_a_percentage() -> None:  # §10.2, Q20
    world = World()
    world.create(5, partition="40%", maxSurge=1, maxUnavailable=1)
    world.run()

    world.set_image(NEW)
    world.run()

    said = world.reasons()
    assert counted(world) == {OLD: 2, NEW: 3}
    assert (said["SuccessfulCreate"], said["SuccessfulDelete"], said["SuccessfulUpdatePodInPlace"]) == (
        6,
        1,
        2,
    )
    assert world.status()["expectedUpdatedReplicas"] == 3


def test_pods_old_and_new_come_and_go_as_a_percentage_says() -> None:  # §10.3, §28 ex. 5 to 7
    world = World()
    world.create(6, type="ReCreate", partition="50%", maxUnavailable=3)
    world.run()
    world.set_image(NEW)
    world.run()
    assert counted(world) == {OLD: 3, NEW: 3}

    world.change({"replicas": 9})
    world.run()
    assert counted(world) == {OLD: 5, NEW: 4}

    world.change({"replicas": 4})
    world.run()
    assert counted(world) == {OLD: 2, NEW: 2}


def test_pausing_in_the_middle_of_a_surge_removes_old_pods_within_the_budget() -> None:  # §27.2 no. 8
    world = World()
    world.create(4, type="ReCreate", maxSurge=2, maxUnavailable=0)
    world.run()
    world.set_image(BROKEN)
    world.run()
    assert counted(world) == {OLD: 4, BROKEN: 2}

    change_strategy(world, paused=True)
    assert counted(world) == {OLD: 4, BROKEN: 2}

    change_strategy(world, maxUnavailable=1)
    assert counted(world) == {OLD: 3, BROKEN: 2}


def test_a_chosen_old_pod_is_followed_by_an_old_one() -> None:  # §10.3, §8 step 14
    world = World()
    world.create(4, type="ReCreate", partition=2, maxUnavailable=2)
    world.run()
    world.set_image(NEW)
    world.run()
    chosen = next(
        pod["metadata"]["name"] for pod in world.pods() if pod["spec"]["containers"][0]["image"] == OLD
    )

    world.change({"scaleStrategy": {"podsToDelete": [chosen]}})
    world.run()

    assert chosen not in world.names()
    assert counted(world) == {OLD: 2, NEW: 2}
    assert "podsToDelete" not in world.live()["spec"]["scaleStrategy"]


def test_without_pods_the_update_revision_is_the_current_one() -> None:  # §22.1
    world = World()
    world.create(3, type="ReCreate", partition=2)
    world.run()
    world.set_image(NEW)
    world.run()
    assert counted(world) == {OLD: 2, NEW: 1}

    world.change({"replicas": 0})
    world.run()
    assert world.status()["currentRevision"] == world.status()["updateRevision"]

    world.change({"replicas": 3})
    world.run()
    assert counted(world) == {NEW: 3}


def test_a_pause_does_not_hold_up_a_grace_period() -> None:  # §14.1
    world = World()
    world.create(2, maxUnavailable=1, inPlaceUpdateStrategy={"gracePeriodSeconds": 10})
    world.run()
    world.set_image(NEW)
    world.run(3)

    world.change({"updateStrategy": {"paused": True}})
    world.run(30)

    assert counted(world) == {OLD: 1, NEW: 1}
    assert world.states() == {"Normal": 2}


def test_undoing_within_a_grace_period_restarts_the_container_twice() -> None:  # §28 ex. 37
    world = World()
    world.create(1, maxUnavailable=1, inPlaceUpdateStrategy={"gracePeriodSeconds": 10})
    world.run()
    world.set_image(NEW)
    world.run(3)

    world.set_image(OLD)
    world.run(4)
    assert (world.images(), world.states()) == ([OLD], {"Updating": 1})

    world.run(60)
    assert (world.images(), world.states(), world.restarts()) == ([OLD], {"Normal": 1}, [2])

"""New resources of running containers: when they take effect, and what pods tell of them."""

from dataclasses import replace
from typing import Any

import pytest

from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation import DEFAULT, RECORDED
from tests.sandbox.simulation.world import World, conditions, containers, pod, restarts

OLD = {"limits": {"cpu": "200m"}, "requests": {"cpu": "100m"}}
NEW = {"limits": {"cpu": "400m"}, "requests": {"cpu": "100m"}}
RESTART = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]


def started(world: World, *, policy: Any = (), delay: str = "") -> None:
    raw = pod("p", "nginx:1", "envoy:1")
    raw["spec"]["containers"][0] |= {"resources": OLD, "resizePolicy": list(policy)}
    steer(raw, world, delay)
    world.create(POD, raw)
    world.run(2)


def steer(raw: Raw, world: World, delay: str) -> None:
    if delay:
        raw["metadata"]["annotations"] = {f"{world.profile.annotations}/resize-delay": delay}


def ask(world: World, resources: Raw = NEW) -> None:
    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "resources": resources}]}}, part="resize")


def told(world: World) -> Any:
    return containers(world.pod())["main"].get("resources")


def test_running_containers_tell_their_resources() -> None:
    world = World()
    started(world)

    main, side = containers(world.pod()).values()
    assert (main["resources"], main["allocatedResources"]) == (OLD, OLD["requests"])
    assert side["resources"] == {}
    assert "allocatedResources" not in side


def test_a_resize_takes_effect_at_once_and_restarts_nothing() -> None:
    world = World()
    started(world)
    ask(world)
    world.run(0.01)

    assert told(world) == NEW
    assert restarts(world.pod()) == {"main": 0, "side": 0}
    assert not {"PodResizePending", "PodResizeInProgress"} & set(conditions(world.pod()))


def test_a_resize_policy_restarts_its_container_alone() -> None:
    world = World()
    started(world, policy=RESTART)
    ask(world)
    world.run(0.01)
    between = told(world)
    world.run(1)

    assert (between, told(world)) == (None, NEW)
    assert restarts(world.pod()) == {"main": 1, "side": 0}


def test_a_resize_policy_for_another_resource_restarts_nothing() -> None:
    world = World()
    started(world, policy=[{"resourceName": "memory", "restartPolicy": "RestartContainer"}])
    ask(world)
    world.run(1)

    assert told(world) == NEW
    assert restarts(world.pod()) == {"main": 0, "side": 0}


def test_a_delay_is_told_as_progress() -> None:
    world = World()
    started(world, delay="3")
    ask(world)
    world.run(2.9)
    waiting = world.pod()
    world.run(0.2)

    main = containers(waiting)["main"]
    assert (main["resources"], main["allocatedResources"]) == (OLD, NEW["requests"])
    assert conditions(waiting)["PodResizeInProgress"] == "True"
    assert told(world) == NEW
    assert "PodResizeInProgress" not in conditions(world.pod())


def test_a_newer_resize_waits_from_its_own_beginning() -> None:
    world = World()
    started(world, delay="3")
    ask(world)
    world.run(2)
    ask(world, {"limits": {"cpu": "600m"}})
    world.run(2.5)
    between = told(world)
    world.run(1)

    assert (between, told(world)["limits"]) == (OLD, {"cpu": "600m"})


@pytest.mark.parametrize(("word", "reason"), [("hold", "Deferred"), ("infeasible", "Infeasible")])
def test_a_resize_that_is_held_back_says_why(word: str, reason: str) -> None:
    world = World()
    started(world, delay=word)
    ask(world)
    world.run(60)
    held = world.pod()
    world.patch(POD, "p", {"metadata": {"annotations": {"sandbox.kruise/resize-delay": "0"}}})
    world.run(0.01)

    pending = condition(held, "PodResizePending") or {}
    assert (pending["status"], pending["reason"]) == ("True", reason)
    assert pending["message"] == "held back by annotation sandbox.kruise/resize-delay"
    assert containers(held)["main"]["allocatedResources"] == OLD["requests"]
    assert told(world) == NEW
    assert "PodResizePending" not in conditions(world.pod())


def test_a_resize_taken_back_leaves_nothing_to_wait_for() -> None:
    world = World()
    started(world, delay="hold")
    ask(world)
    world.run(1)
    ask(world, OLD)
    world.run(1)

    assert told(world) == OLD
    assert "PodResizePending" not in conditions(world.pod())


def test_the_recorded_world_has_no_such_conditions() -> None:
    world = World(replace(RECORDED, volumes=True))
    started(world, delay="hold")
    ask(world)
    world.run(5)

    assert told(world) == OLD
    assert "PodResizePending" not in conditions(world.pod())


def test_a_container_that_starts_again_has_what_its_spec_says() -> None:
    world = World()
    started(world, delay="hold")
    ask(world)
    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}})
    world.run(2)

    assert told(world) == NEW


def test_a_restart_for_resources_outlives_the_kubelet() -> None:
    world = World(replace(DEFAULT, restart_delay=5))
    started(world, policy=RESTART)
    ask(world)
    world.run(1)
    world.restart()
    world.run(10)

    assert told(world) == NEW
    assert restarts(world.pod()) == {"main": 1, "side": 0}

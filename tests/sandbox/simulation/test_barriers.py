"""Containers behind the barriers of launch priorities (cloneset.md §17.4)."""

from dataclasses import replace

from kubectl_kruise.facts.kinds import CONFIGMAP, POD
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation import RECORDED
from tests.sandbox.simulation.world import World, conditions, containers, pod


def ordered() -> Raw:
    raw = pod("p", "nginx:1", "envoy:1")
    for index, container in enumerate(raw["spec"]["containers"]):
        reference = {"name": "p-barrier", "key": f"p_{-index}"}
        container["env"] = [{"name": "KRUISE_CONTAINER_BARRIER", "valueFrom": {"configMapKeyRef": reference}}]
    return raw


def open_barrier(world: World, *keys: str) -> None:
    data = dict.fromkeys(keys, "true")
    if len(keys) == 1:
        world.create(CONFIGMAP, {"metadata": {"name": "p-barrier"}, "data": data})
    else:
        world.patch(CONFIGMAP, "p-barrier", {"data": data})
    world.run(1)


def waits(world: World, name: str) -> Raw | None:
    return containers(world.pod())[name]["state"].get("waiting")


def test_containers_start_as_their_barriers_open() -> None:
    world = World()
    world.create(POD, ordered())
    world.run(2)
    before = waits(world, "main")
    open_barrier(world, "p_0")
    first = containers(world.pod())["main"]
    second = waits(world, "side")
    open_barrier(world, "p_0", "p_-1")

    assert before == {"reason": "CreateContainerConfigError", "message": 'configmap "p-barrier" not found'}
    assert first["ready"] is True
    assert second == {
        "reason": "CreateContainerConfigError",
        "message": "couldn't find key p_-1 in ConfigMap default/p-barrier",
    }
    assert waits(world, "side") is None
    assert conditions(world.pod())["Ready"] == "True"


def test_an_open_barrier_is_not_looked_at_twice() -> None:
    world = World()
    world.create(POD, ordered())
    open_barrier(world, "p_0")
    open_barrier(world, "p_0", "p_-1")
    world.delete(CONFIGMAP, "p-barrier")
    world.run(5)

    assert conditions(world.pod())["Ready"] == "True"


def test_the_recorded_world_starts_everything_at_once() -> None:
    world = World(replace(RECORDED, volumes=True))
    world.create(POD, ordered())
    world.run(3)

    assert conditions(world.pod())["Ready"] == "True"

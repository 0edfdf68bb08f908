"""The node daemon's record of running containers (cloneset.md §18.3 to §18.5)."""

import json

from kubectl_kruise.engine.inplace.completion import containers_complete
from kubectl_kruise.engine.inplace.hashes import environment_hash, plain_hash
from kubectl_kruise.engine.inplace.state import State
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.facts.names import RUNTIME_META
from kubectl_kruise.objects.raw import Raw, annotations_of
from kubectl_kruise.sandbox.simulation import RECORDED
from tests.sandbox.simulation.world import World, containers, pod, restarts

GATE = "InPlaceUpdateReady"


def record(raw: Raw) -> list[Raw]:
    return json.loads(annotations_of(raw)[RUNTIME_META])["containers"]


def set_gate(world: World, status: str) -> None:
    change = {"status": {"conditions": [{"type": GATE, "status": status}]}}
    world.patch(POD, "p", change, part="status")


def test_the_record_follows_the_containers() -> None:
    world = World()
    world.create(POD, pod("p", "nginx:1", "envoy:1", gates=(GATE,)))
    world.run(1)
    first = record(world.pod())
    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}})
    world.run(1)

    main, side = record(world.pod())
    status = containers(world.pod())
    assert main == {
        "name": "main",
        "containerID": status["main"]["containerID"],
        "restartCount": 1,
        "hashes": {"plainHash": plain_hash("main", "nginx:2"), "extractedEnvFromMetadataHash": 86995377},
    }
    assert side == first[1]
    assert first[0]["hashes"]["plainHash"] == plain_hash("main", "nginx:1")


def test_a_container_that_cannot_be_pulled_is_not_complete() -> None:
    world = World()
    world.create(POD, pod("p", "nginx:1", gates=(GATE,)))
    world.run(1)
    before = containers(world.pod())["main"]["imageID"]
    state = State(revision="r", started="2026-01-01T00:00:00Z", last={"main": before})

    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:bad"}]}})
    world.run(1)
    stuck = world.pod()
    world.patch(POD, "p", {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}})
    world.run(1)

    assert not containers_complete(stuck, state)
    assert containers_complete(world.pod(), state)


def test_pods_of_nobody_that_asks_have_no_record() -> None:
    world = World()
    world.create(POD, pod("p"))
    world.run(1)

    assert RUNTIME_META not in annotations_of(world.pod())


def test_the_world_of_the_recordings_has_no_daemon() -> None:
    world = World(RECORDED)
    world.create(POD, pod("p", gates=(GATE,)))
    world.run(2)

    assert RUNTIME_META not in annotations_of(world.pod())


def test_changed_environment_restarts_the_container_while_the_gate_is_shut() -> None:
    world = World()
    path = {"fieldRef": {"fieldPath": "metadata.labels['mode']"}}
    made = pod("p", "nginx:1", "envoy:1", gates=(GATE,))
    made["metadata"]["labels"] = {"mode": "a"}
    made["spec"]["containers"][0]["env"] = [{"name": "MODE", "valueFrom": path}]
    world.create(POD, made)
    world.run(1)
    set_gate(world, "True")
    world.patch(POD, "p", {"metadata": {"labels": {"mode": "b"}}})
    world.run(1)
    open_gate = world.pod()

    set_gate(world, "False")
    world.run(1)

    now = world.pod()
    assert restarts(open_gate) == {"main": 0, "side": 0}
    assert restarts(now) == {"main": 1, "side": 0}
    main = now["spec"]["containers"][0]
    assert record(now)[0]["hashes"]["extractedEnvFromMetadataHash"] == environment_hash(main, now)

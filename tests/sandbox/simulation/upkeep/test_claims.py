"""Volume claims are bound, and protected from deletion while a pod uses them."""

import pytest

from kubectl_kruise.facts.kinds import PERSISTENT_VOLUME, POD, PVC
from kubectl_kruise.objects.raw import Raw, deleting, name_of
from kubectl_kruise.sandbox.simulation import DEFAULT, RECORDED
from tests.sandbox.simulation.world import World, pod

SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}


def claim(world: World) -> Raw:
    return world.create(PVC, {"metadata": {"name": "data"}, "spec": SPEC})


def claims(world: World) -> list[str]:
    return [name_of(raw) for raw in world.all(PVC)]


def test_a_claim_is_bound_to_a_volume_of_the_size_it_asks_for() -> None:
    world = World()
    uid = claim(world)["metadata"]["uid"]
    world.run(0)

    bound = world.get(PVC, "data")
    assert bound["spec"]["volumeName"] == f"pvc-{uid}"
    assert bound["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
    }


def test_where_nobody_provides_volumes_a_claim_stays_pending() -> None:
    world = World(RECORDED)
    claim(world)
    world.run(5)

    assert world.get(PVC, "data")["status"] == {"phase": "Pending"}


@pytest.mark.parametrize("profile", [DEFAULT, RECORDED], ids=["sandbox", "recordings"])
def test_a_deleted_claim_goes_at_once_when_no_pod_uses_it(profile) -> None:
    world = World(profile)
    claim(world)
    world.run(0)
    world.delete(PVC, "data")
    world.run(0)

    assert claims(world) == []


@pytest.mark.parametrize("end", ["deleted", "finished"])
def test_a_deleted_claim_waits_for_the_last_pod_that_uses_it(end: str) -> None:
    world = World()
    claim(world)
    world.create(POD, pod("p", "task:complete", volumes=[VOLUME], restartPolicy="Never"))
    world.create(POD, pod("other"))
    world.run(0.5)
    world.delete(PVC, "data")
    world.run(0)
    assert deleting(world.get(PVC, "data"))

    if end == "deleted":
        world.delete(POD, "p")
    world.run(30)
    assert claims(world) == []


def test_finalizers_of_others_hold_a_claim_on() -> None:
    world = World()
    world.create(PVC, {"metadata": {"name": "data", "finalizers": ["example.com/keep"]}, "spec": SPEC})
    world.run(0)
    world.delete(PVC, "data")
    world.run(0)

    assert world.get(PVC, "data")["metadata"]["finalizers"] == ["example.com/keep"]


def _volume(world: World, name: str, size: str, **spec: object) -> None:
    capacity = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"]}
    host = {"hostPath": {"path": "/x"}}
    world.create(PERSISTENT_VOLUME, {"metadata": {"name": name}, "spec": {**capacity, **host, **spec}})


@pytest.mark.parametrize("first", ["volumes", "claim"])
def test_a_claim_gets_the_smallest_volume_that_was_made_for_claims_like_it(first: str) -> None:
    world = World(RECORDED)
    if first == "claim":
        claim(world)
        world.run(0)
    _volume(world, "large", "5Gi")
    _volume(world, "small", "1Mi")
    _volume(world, "other", "1Gi", storageClassName="fast")
    _volume(world, "shared", "1Gi", accessModes=["ReadOnlyMany"])
    if first == "volumes":
        claim(world)
    world.run(0)

    bound = world.get(PVC, "data")
    assert bound["spec"]["volumeName"] == "large"
    assert bound["status"]["capacity"] == {"storage": "5Gi"}
    assert bound["metadata"]["annotations"] == {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    assert world.get(PERSISTENT_VOLUME, "large")["status"]["phase"] == "Bound"


def test_a_volume_belongs_to_one_claim() -> None:
    world = World(RECORDED)
    _volume(world, "only", "1Gi")
    for name in ("a", "b"):
        world.create(PVC, {"metadata": {"name": name}, "spec": SPEC})
        world.run(0)

    assert [raw["status"]["phase"] for raw in world.all(PVC)] == ["Bound", "Pending"]


def test_a_claim_that_asks_for_more_gets_it() -> None:
    world = World()
    world.create(PVC, {"metadata": {"name": "data"}, "spec": {**SPEC, "storageClassName": "growing"}})
    world.run(0)
    world.patch(PVC, "data", {"spec": {"resources": {"requests": {"storage": "3Gi"}}}})
    world.run(0)

    assert world.get(PVC, "data")["status"]["capacity"] == {"storage": "3Gi"}


def test_the_protection_of_a_claim_comes_back() -> None:
    world = World(RECORDED)
    claim(world)
    world.patch(PVC, "data", {"metadata": {"finalizers": ["test.example/hold"]}})
    world.run(0)

    assert world.get(PVC, "data")["metadata"]["finalizers"] == [
        "test.example/hold",
        "kubernetes.io/pvc-protection",
    ]

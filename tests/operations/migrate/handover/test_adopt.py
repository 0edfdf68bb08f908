"""Pods of a Deployment go over to a CloneSet and back, and nothing happens to them (migration.md §5.1, §11.3)."""

from kubectl_kruise.facts.kinds import POD, REPLICASET
from kubectl_kruise.objects.raw import owner_of, version_number, version_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.flow import adopt, roll_back
from tests.operations.migrate.world import NAMESPACE, World


def test_every_pod_goes_over_untouched() -> None:
    """migration.md §11.3 row 41."""
    world = World()
    before = world.marks()
    keeper = world.begin()
    adopt(world.run(), keeper)
    world.sandbox.run(60)
    assert world.marks() == before
    assert world.owners() == {"CloneSet"}
    assert world.deployment is None
    assert world.replicasets == []


def test_and_back_by_a_rollback() -> None:
    """migration.md §11.3 row 48."""
    world = World()
    before = world.marks()
    keeper = world.begin()
    adopt(world.run(), keeper)
    roll_back(world.run(), keeper)
    world.sandbox.run(60)
    assert world.marks() == before
    assert world.owners() == {"ReplicaSet"}
    assert world.cloneset is None


def test_pods_go_when_the_controller_of_their_replicaset_has_seen_its_end() -> None:
    """One that works from a stale cache makes a pod for each that is given away (migration.md §5.1.1 D9)."""
    world = World()
    since = {kind: version_of(world.cluster.list(kind.path(NAMESPACE))) for kind in (POD, REPLICASET)}
    adopt(world.run(), world.begin())
    pods, replicasets = (
        list(world.cluster.watch(kind.path(NAMESPACE), version, follow=False))
        for kind, version in since.items()
    )
    first = min(
        version_number(each.object)
        for each in pods
        if (owner_of(each.object) or {}).get("kind") == "CloneSet"
    )
    known = [Workload(each.object, REPLICASET) for each in replicasets if version_number(each.object) < first]
    assert known[-1].deleting
    assert known[-1].observed

"""Pods of a Deployment go over to a CloneSet and back, and nothing happens to them (migration.md §5.1, §11.3)."""

from kubectl_kruise.operations.migrate.flow import adopt, roll_back
from tests.operations.migrate.world import World


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

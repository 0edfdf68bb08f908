"""Workloads without pods migrate as others do, there, back and undone (migration.md §5)."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from tests.operations.migrate.world import NAMESPACE, World


@pytest.mark.parametrize("spec", [{}, {"paused": True}], ids=["scaled to nothing", "never rolled out"])
def test_there_and_undone(spec: dict[str, Any]) -> None:
    world = World(replicas=0, **spec)
    before = world.deployment
    adopt(world.run(settle=0), world.begin())
    assert world.deployment is None
    assert world.cloneset is not None

    keeper = Keeper.find(world.cluster, world.clock, NAMESPACE, Reference("Deployment", "web", "apps/v1"))
    assert keeper is not None
    roll_back(world.run(settle=0), keeper)

    assert world.cloneset is None
    assert before is not None
    assert world.deployment is not None
    assert world.deployment["spec"] == before["spec"]


def test_there_and_back() -> None:
    world = World(replicas=0)
    adopt(world.run(settle=0), world.begin())

    keeper = world.begin_back()
    release(world.run(), keeper, keeper.journal.target_manifest)

    assert world.cloneset is None
    assert world.deployment is not None
    assert world.deployment["spec"]["replicas"] == 0
    assert len(world.replicasets) == 1

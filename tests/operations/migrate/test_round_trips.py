"""Random Deployments there and back: the same spec, the same pods (migration.md §11.1 row 30)."""

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from tests.operations.migrate.specs import deployments
from tests.operations.migrate.walks import BACK, FORWARD, found
from tests.operations.migrate.world import NAMESPACE, World


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=deployments())
def test_there_and_back_is_the_same(spec: dict[str, Any]) -> None:
    world = World(**spec)
    source = copy.deepcopy(world.deployment)
    before = world.marks()
    assert source is not None
    keeper = world.begin()
    adopt(world.run(settle=0), keeper)
    assert world.cloneset is not None
    assert world.cloneset["spec"]["template"] == source["spec"]["template"]
    assert world.marks() == before
    keeper.remove()
    if spec["replicas"]:
        back = world.begin_back()
        release(world.run(), back, back.journal.target_manifest)
        world.sandbox.run(10)
        assert world.deployment is not None
        assert world.deployment["spec"] == source["spec"]
    assert world.marks() == before


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=st.lists(st.sampled_from(["over", "undo", "back", "scale up", "scale down", "wait"]), max_size=6))
def test_whatever_comes_after_whatever_costs_no_pod(acts: list[str]) -> None:
    """Pods go only where somebody scales down, and as many as that takes."""
    world = World(replicas=3)
    wanted, before = 3, world.marks()
    for act in acts:
        owned = world.cloneset is not None
        if act == "over" and not owned:
            _forget(world)
            adopt(world.run(settle=0), world.begin())
        elif act == "undo":
            for source in (FORWARD, BACK):
                if keeper := found(world, world.cluster, source):
                    roll_back(world.run(settle=0), keeper)
        elif act == "back" and owned:
            _forget(world)
            back = world.begin_back()
            release(world.run(), back, back.journal.target_manifest)
        elif act.startswith("scale"):
            wanted = max(1, wanted + (1 if act == "scale up" else -1))
            kind = CLONESET if owned else DEPLOYMENT
            world.merge(kind.path(NAMESPACE, "web"), {"spec": {"replicas": wanted}})
        world.sandbox.run(40)
        after = world.marks()
        assert len(after) == wanted
        assert len(before - after) == max(0, len(before) - wanted)
        before = after


def _forget(world: World) -> None:
    """Take away the journals of what is done, as `migrate cleanup` does."""
    for source in (FORWARD, BACK):
        if keeper := found(world, world.cluster, source):
            keeper.remove()

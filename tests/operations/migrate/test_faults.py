"""A single failure at any request does not end a run, whatever became of the request (migration.md §4.2)."""

import pytest

from kubectl_kruise.errors import KruiseError
from tests.operations.migrate.fates import faults
from tests.operations.migrate.forks import Fateful, Forks
from tests.operations.migrate.walks import WALKS, connect


@pytest.mark.parametrize("walk", WALKS)
def test_one_failure_is_survived(walk: str) -> None:
    """Before the first write it may end the run, for then nothing has happened."""
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks(), world.everything()
    with Forks() as forks:
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, faults())))
        except KruiseError:
            if world.everything() != before[1]:
                raise
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before[0], owners)
    assert forks.count > 30

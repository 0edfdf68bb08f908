"""A run that dies at any request goes on with the next one, and no pod notices (migration.md §11.3 row 42)."""

import pytest

from tests.operations.migrate.fates import KilledError, kills
from tests.operations.migrate.forks import Fateful, Forks
from tests.operations.migrate.walks import WALKS, connect


@pytest.mark.parametrize("walk", WALKS)
def test_every_request_may_be_the_last(walk: str) -> None:
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks()
    with Forks() as forks:
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, kills(world.sandbox))))
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before, owners)
    assert forks.count >= 20

"""Between sets, too, a run that dies at any request goes on with the next one, and no pod notices (migration.md §5.2.2)."""

import pytest

from tests.operations.migrate.fates import KilledError, kills
from tests.operations.migrate.forks import Fateful, Forks
from tests.operations.migrate.sets.walks import WALKS


@pytest.mark.parametrize("walk", WALKS)
def test_every_request_may_be_the_last(walk: str) -> None:
    begin, act, owner = WALKS[walk]
    world = begin()
    before = world.marks(), world.claims()
    with Forks() as forks:
        try:
            transport = Fateful(world.cluster._transport, forks, kills(world.sandbox))
            act(world, world.connect(transport))
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.claims(), world.owners()) == (*before, {owner})
    assert forks.count >= 15

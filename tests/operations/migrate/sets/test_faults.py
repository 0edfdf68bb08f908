"""A single failure at any request does not end a run between sets, whatever became of the request (migration.md §4.2)."""

import pytest

from kubectl_kruise.errors import KruiseError
from tests.operations.migrate.fates import FAULTS, faults
from tests.operations.migrate.forks import Fateful, Forks
from tests.operations.migrate.sets.walks import WALKS

FIRST = "forward, claims of the set"


@pytest.mark.parametrize("walk", [FIRST, "forward, undone", "back"])
def test_one_failure_is_survived(walk: str) -> None:
    """Before the first write it may end the run, for then nothing has happened.

    Reads are made and repeated by the same loop whatever the way: one way stands for all.
    """
    begin, act, owner = WALKS[walk]
    world = begin()
    fates = faults() if walk == FIRST else FAULTS
    before, everything = (world.marks(), world.claims()), world.everything()
    with Forks() as forks:
        try:
            act(world, world.connect(Fateful(world.cluster._transport, forks, fates)))
        except KruiseError:
            if world.everything() != everything:
                raise
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.claims(), world.owners()) == (*before, {owner})
    assert forks.count > 15

"""A run that dies at any request goes on with the next one, and no pod notices (migration.md §11.3 row 42)."""

from typing import NoReturn

import pytest

from kubectl_kruise.cluster.port import Request, Transport
from tests.operations.migrate.forks import Fate, Fateful, Forks, writes
from tests.operations.migrate.walks import WALKS, connect


class KilledError(BaseException):
    """The process is gone: nothing after this line runs, no handler either."""


def _die(_inner: Transport, _request: Request) -> NoReturn:
    raise KilledError


def _die_after(inner: Transport, request: Request) -> NoReturn:
    inner.send(request)
    raise KilledError


KILLS = (Fate("before", _die), Fate("after", _die_after, writes))


@pytest.mark.parametrize("walk", WALKS)
def test_every_request_may_be_the_last(walk: str) -> None:
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks()
    with Forks() as forks:
        transport = Fateful(world.cluster._transport, forks, KILLS)
        try:
            act(world, connect(world, transport))
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before, owners)
    assert forks.count > 40

"""A run that dies at any request goes on with the next one, and no pod notices (migration.md §11.3 row 42)."""

from typing import NoReturn

import pytest

from kubectl_kruise.cluster.port import Request, Transport
from tests.operations.migrate.forks import Fate, Fateful, Forks, writes
from tests.operations.migrate.walks import WALKS, connect
from tests.operations.migrate.world import World


class KilledError(BaseException):
    """The process is gone: nothing after this line runs, no handler either."""


def _die(_inner: Transport, _request: Request) -> NoReturn:
    raise KilledError


def _die_after(inner: Transport, request: Request) -> NoReturn:
    inner.send(request)
    raise KilledError


class _News:
    """Whether the cluster has changed since the last death: who dies twice in one state leaves the same behind."""

    def __init__(self, world: World) -> None:
        self._store = world.sandbox.server.store
        self._last = -1

    def __call__(self, _request: Request) -> bool:
        news = self._store.version != self._last
        self._last = self._store.version
        return news


@pytest.mark.parametrize("walk", WALKS)
def test_every_request_may_be_the_last(walk: str) -> None:
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks()
    with Forks() as forks:
        kills = Fate("before", _die, _News(world)), Fate("after", _die_after, writes)
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, kills)))
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before, owners)
    assert forks.count >= 20

"""A run that dies at any request goes on with the next one, and no pod notices (migration.md §11.3 row 42)."""

from collections.abc import Callable

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Stream
from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.operations.migrate.flow import adopt
from kubectl_kruise.operations.migrate.keeping import Keeper
from tests.operations.migrate.world import NAMESPACE, World


class KilledError(BaseException):
    """The process is gone: nothing after this line runs, no handler either."""


class Mortal:
    """A transport that dies at the n-th request, before it is sent or after it was carried out."""

    def __init__(self, inner: Client, at: int, *, after: bool) -> None:
        self._inner = inner._transport
        self.left = at
        self._after = after

    def send(self, request: Request) -> Response:
        self.left -= 1
        if self.left == 0 and not self._after:
            raise KilledError
        answer = self._inner.send(request)
        if self.left == 0:
            raise KilledError
        return answer

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        self._inner.close()


def mortal(world: World, at: int, *, after: bool) -> tuple[Client, Mortal]:
    transport = Mortal(world.cluster, at, after=after)
    client = Client(transport, namespace=NAMESPACE, pause=world.clock.advance)
    return client, transport


def again(world: World, client: Client) -> Keeper:
    """Give the journal as a new process finds it, or begin where none was written yet."""
    live = world.deployment
    source = Reference("Deployment", "web", "apps/v1", "")
    found = Keeper.find(client, world.clock, NAMESPACE, source)
    if found is None:
        assert live is not None
        return world.begin()
    return found


def walk(act: Callable[[World, Client], None], *, after: bool) -> int:
    """Kill `act` at every one of its requests, each time in a new world; gives how many there were."""
    for at in range(1, 200):
        world = World()
        before = world.marks()
        client, transport = mortal(world, at, after=after)
        try:
            act(world, client)
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert world.marks() == before, at
        if transport.left > 0:
            return at
    pytest.fail("no end")


def forward(world: World, client: Client) -> None:
    adopt(world.run(client), again(world, client))
    assert world.owners() == {"CloneSet"}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_forward(after: bool) -> None:
    assert walk(forward, after=after) > 20

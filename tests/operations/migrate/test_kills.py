"""A run that dies at any request goes on with the next one, and no pod notices (migration.md §11.3 row 42)."""

from collections.abc import Callable

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Stream
from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
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


Act = Callable[[World, Client], None]
FORWARD = Reference("Deployment", "web", "apps/v1")
BACK = Reference("CloneSet", "web", "apps.kruise.io/v1alpha1")


def found(world: World, client: Client, source: Reference) -> Keeper | None:
    """Give the journal as a new process finds it."""
    return Keeper.find(client, world.clock, NAMESPACE, source)


def forward(world: World, client: Client) -> None:
    adopt(world.run(client, settle=0), found(world, client, FORWARD) or world.begin(client))
    assert world.owners() == {"CloneSet"}
    assert (world.deployment, world.replicasets) == (None, [])


def back(world: World, client: Client) -> None:
    keeper = found(world, client, BACK) or world.begin_back(client)
    release(world.run(client), keeper, keeper.journal.target_manifest)
    assert world.owners() == {"ReplicaSet"}
    assert world.cloneset is None


def undo(source: Reference) -> Act:
    def roll_it_back(world: World, client: Client) -> None:
        if keeper := found(world, client, source):
            roll_back(world.run(client, settle=0), keeper)

    return roll_it_back


def moved() -> World:
    """Give a world whose Deployment has been migrated, its journal still there."""
    world = World(replicas=2)
    forward(world, world.cluster)
    return world


def ready_to_return() -> World:
    world = moved()
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    keeper.remove()
    return world


def returned() -> World:
    world = ready_to_return()
    back(world, world.cluster)
    return world


WALKS = {
    "forward": (lambda: World(replicas=2), forward, {"CloneSet"}),
    "forward, undone": (moved, undo(FORWARD), {"ReplicaSet"}),
    "back": (ready_to_return, back, {"ReplicaSet"}),
    "back, undone": (returned, undo(BACK), {"CloneSet"}),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("walk", WALKS)
def test_every_request_may_be_the_last(walk: str, after: bool) -> None:
    begin, act, owners = WALKS[walk]
    for at in range(1, 100):
        world = begin()
        before = world.marks()
        client, transport = mortal(world, at, after=after)
        try:
            act(world, client)
        except KilledError:
            world.sandbox.run(40)
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before, owners), at
        if transport.left > 0:
            assert at > 10
            return
    pytest.fail("no end")

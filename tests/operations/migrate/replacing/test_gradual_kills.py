"""Moves that make new pods survive what may befall any request, their own death too, within their limits.

Forward and undone (migration.md §4.2, §6.1, §7).
"""

from collections.abc import Callable
from typing import NamedTuple, NoReturn

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Transport
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import HPA
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.operations.migrate.flow import roll_back
from kubectl_kruise.operations.migrate.replacing.gradual import move_over
from kubectl_kruise.operations.migrate.replacing.recreating import recreate
from tests.operations.migrate.fates import FAULTS
from tests.operations.migrate.forks import Fate, Fateful, Forks, writes
from tests.operations.migrate.ledger import Ledger
from tests.operations.migrate.moves import SOURCE, add, begin, hpa, spec_of
from tests.operations.migrate.walks import connect, found
from tests.operations.migrate.world import World


class KilledError(BaseException):
    """The process is gone: nothing after this line runs, no handler either."""


def _die_after(inner: Transport, request: Request) -> NoReturn:
    inner.send(request)
    raise KilledError


KILL = Fate("after", _die_after, writes)
"""A death before a write leaves what one after the last write has left."""


class Walk(NamedTuple):
    """Where it begins, what it does (again, after a death), whose the pods are in the end, and how few may be ready."""

    start: Callable[[], World]
    act: Callable[[World, Client], None]
    owners: set[str]
    least: int


def small() -> World:
    world = World(replicas=2)
    add(world, HPA, hpa(2, 2))
    return world


def forward(mode: Mode) -> Callable[[World, Client], None]:
    def act(world: World, client: Client) -> None:
        keeper = found(world, client, SOURCE) or begin(world, mode, client)
        run = world.run(client, settle=0)
        if mode is Mode.SURGE:
            move_over(run, keeper)
        else:
            recreate(run, keeper)

    return act


def undo(world: World, client: Client) -> None:
    if keeper := found(world, client, SOURCE):
        roll_back(world.run(client, settle=0), keeper)


def moved(mode: Mode) -> Callable[[], World]:
    def start() -> World:
        world = small()
        forward(mode)(world, world.cluster)
        return world

    return start


WALKS = {
    "surge": Walk(small, forward(Mode.SURGE), {"CloneSet"}, 2),
    "surge, undone": Walk(moved(Mode.SURGE), undo, {"ReplicaSet"}, 2),
    "recreate": Walk(small, forward(Mode.RECREATE), {"CloneSet"}, 0),
    "recreate, undone": Walk(moved(Mode.RECREATE), undo, {"ReplicaSet"}, 0),
}


@pytest.mark.parametrize("name", WALKS)
def test_every_write_may_be_the_last(name: str) -> None:
    walk = WALKS[name]
    world = walk.start()
    ledger = Ledger(world.cluster)
    with Forks() as forks:
        try:
            walk.act(world, connect(world, Fateful(world.cluster._transport, forks, [KILL])))
        except KilledError:
            world.sandbox.run(40)
            walk.act(world, world.cluster)
        world.sandbox.run(20)
        extremes = ledger.extremes()
        assert extremes.fewest_ready >= walk.least
        assert extremes.most_pods <= 3
        assert (len(world.pods), world.owners()) == (2, walk.owners)
        _check_rest(world, walk.owners)
    assert forks.count >= 10


@pytest.mark.parametrize("name", ["surge", "recreate, undone"])
def test_one_failure_is_survived(name: str) -> None:
    """Before the first write it may end the run, for then nothing has happened."""
    walk = WALKS[name]
    world = walk.start()
    ledger, before = Ledger(world.cluster), world.everything()
    faults = [each for each in FAULTS if each.name in ("failed", "done, without an answer")]
    with Forks() as forks:
        try:
            walk.act(world, connect(world, Fateful(world.cluster._transport, forks, faults)))
        except KruiseError:
            if world.everything() != before:
                raise
            walk.act(world, world.cluster)
        world.sandbox.run(20)
        extremes = ledger.extremes()
        assert (extremes.fewest_ready >= walk.least, extremes.most_pods <= 3) == (True, True)
        assert (len(world.pods), world.owners()) == (2, walk.owners)
        _check_rest(world, walk.owners)
    assert forks.count >= 10


def _check_rest(world: World, owners: set[str]) -> None:
    """Nothing of the other side is left, and the autoscaler is as it was, but for its aim."""
    kind = "CloneSet" if owners == {"CloneSet"} else "Deployment"
    other = world.deployment if kind == "CloneSet" else world.cloneset
    autoscaler = spec_of(world, HPA)
    assert other is None
    assert dig(autoscaler, ("scaleTargetRef", "kind")) == kind
    assert (autoscaler["minReplicas"], autoscaler["maxReplicas"], autoscaler.get("behavior")) == (2, 2, None)


def test_a_move_may_be_undone_from_anywhere() -> None:
    world = small()
    ledger = Ledger(world.cluster)
    act = forward(Mode.SURGE)
    with Forks() as forks:
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, [KILL])))
        except KilledError:
            undo(world, world.cluster)
            world.sandbox.run(20)
            extremes = ledger.extremes()
            assert (extremes.fewest_ready, extremes.most_pods <= 3) == (2, True)
            assert (len(world.pods), world.owners()) == (2, {"ReplicaSet"})
            _check_rest(world, {"ReplicaSet"})
    assert forks.count >= 10

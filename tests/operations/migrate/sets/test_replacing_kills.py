"""Sets whose pods are made anew survive the death of a run after any write, within their limits (migration.md §6.2, §7)."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.engine.migration.journal import Mode, Reference
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.operations.migrate.carrying import carry_out
from tests.operations.migrate.forks import Fateful, Forks
from tests.operations.migrate.ledger import Ledger
from tests.operations.migrate.replacing.test_gradual_kills import KILL, KilledError
from tests.operations.migrate.sets.replacing import DELETE, begin
from tests.operations.migrate.sets.walks import Act, found, undo
from tests.operations.migrate.sets.world import BACK, FORWARD, SetWorld


class Walk(NamedTuple):
    """Where it begins, what it does, what it does after a death, and whose the pods are in the end."""

    start: Callable[[], SetWorld]
    act: Act
    again: Act
    owner: str
    mode: Mode


def going(mode: Mode, source: Reference) -> Act:
    def go(world: SetWorld, client: Client) -> None:
        keeper = found(world, client, source) or begin(world, mode, client)
        carry_out(world.run(client, settle=0), keeper)

    return go


def native() -> SetWorld:
    return SetWorld(persistentVolumeClaimRetentionPolicy=DELETE)


def kruise() -> SetWorld:
    return SetWorld(kruise=True, podManagementPolicy="OrderedReady")


def gone(mode: Mode) -> Callable[[], SetWorld]:
    def start() -> SetWorld:
        world = native()
        going(mode, FORWARD)(world, world.cluster)
        return world

    return start


def _walks(mode: Mode) -> dict[str, Walk]:
    there, back, undone = going(mode, FORWARD), going(mode, BACK), undo(FORWARD)
    return {
        f"{mode}": Walk(native, there, there, "kruise", mode),
        f"{mode}, undone": Walk(gone(mode), undone, undone, "native", mode),
        f"{mode}, dropped": Walk(native, there, undone, "native", mode),
        f"{mode}, back": Walk(kruise, back, back, "native", mode),
        f"{mode}, back, dropped": Walk(kruise, back, undo(BACK), "kruise", mode),
    }


WALKS = _walks(Mode.HANDOVER) | _walks(Mode.RECREATE)


@pytest.mark.parametrize("name", WALKS)
def test_every_write_may_be_the_last(name: str) -> None:
    walk = WALKS[name]
    world = walk.start()
    ledger, claims = Ledger(world.cluster), world.claims()
    with Forks() as forks:
        try:
            walk.act(world, world.connect(Fateful(world.cluster._transport, forks, [KILL])))
        except KilledError:
            world.sandbox.run(40)
            walk.again(world, world.cluster)
        world.sandbox.run(20)
        extremes = ledger.extremes()
        if walk.mode is Mode.HANDOVER:
            assert (extremes.fewest_ready >= 1, extremes.most_pods) == (True, 2)
        else:
            assert (extremes.generations, extremes.most_pods) == (1, 2)
        if forks.inside or walk.act is walk.again:
            other = world.native if walk.owner == "kruise" else world.kruise
            assert (world.owners(), other, world.claims()) == ({walk.owner}, None, claims)
            assert [ready(pod) for pod in world.pods] == [True, True]
    assert forks.count >= 6

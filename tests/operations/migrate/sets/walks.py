"""The four ways between the two sets, each from its own beginning: forward, back, and both undone.

The way forward is that of a set whose claims go with it: it has every step of any other, and two of its own.
"""

from collections.abc import Callable

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from tests.operations.migrate.sets.world import BACK, FORWARD, SetWorld
from tests.operations.migrate.world import NAMESPACE

Act = Callable[[SetWorld, Client], None]


def found(world: SetWorld, client: Client, source: Reference) -> Keeper | None:
    """Give the journal as a new process finds it."""
    return Keeper.find(client, world.clock, NAMESPACE, source)


def forward(world: SetWorld, client: Client) -> None:
    keeper = found(world, world.cluster, FORWARD) or world.begin(client)
    adopt(world.run(client, settle=0, patience=60), keeper)
    assert (world.owners(), world.native) == ({"kruise"}, None)


def back(world: SetWorld, client: Client) -> None:
    keeper = found(world, world.cluster, BACK) or world.begin_back(client)
    release(world.run(client, settle=0, patience=60), keeper, keeper.journal.target_manifest)
    assert (world.owners(), world.kruise) == ({"native"}, None)


def undo(source: Reference) -> Act:
    def roll_it_back(world: SetWorld, client: Client) -> None:
        if found(world, world.cluster, source) and (keeper := found(world, client, source)):
            roll_back(world.run(client, settle=0, patience=60), keeper)

    return roll_it_back


def small() -> SetWorld:
    return SetWorld()


def moved() -> SetWorld:
    """Give a world whose StatefulSet has been migrated, its journal still there."""
    world = small()
    forward(world, world.cluster)
    return world


def ready_to_return() -> SetWorld:
    world = moved()
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    keeper.remove()
    return world


def returned() -> SetWorld:
    world = ready_to_return()
    back(world, world.cluster)
    return world


def careful() -> SetWorld:
    """Give a world whose set starts its pods in order, and takes its claims along when it is deleted."""
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    return SetWorld(podManagementPolicy="OrderedReady", persistentVolumeClaimRetentionPolicy=policy)


Walk = tuple[Callable[[], SetWorld], Act, str]

WALKS: dict[str, Walk] = {
    "forward, claims of the set": (careful, forward, "kruise"),
    "forward, undone": (moved, undo(FORWARD), "native"),
    "back": (ready_to_return, back, "native"),
    "back, undone": (returned, undo(BACK), "kruise"),
}
"""Where each begins, what it does (again, after a death), and whose the pods are in the end."""

"""The four ways through the machine, each from its own beginning: forward, back, and both undone."""

from collections.abc import Callable

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Transport
from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from tests.operations.migrate.world import NAMESPACE, World

Act = Callable[[World, Client], None]
FORWARD = Reference("Deployment", "web", "apps/v1")
BACK = Reference("CloneSet", "web", "apps.kruise.io/v1alpha1")


def connect(world: World, transport: Transport) -> Client:
    """Give a client that goes through this transport."""
    return Client(transport, namespace=NAMESPACE, pause=world.clock.advance)


def found(world: World, client: Client, source: Reference) -> Keeper | None:
    """Give the journal as a new process finds it."""
    return Keeper.find(client, world.clock, NAMESPACE, source)


def forward(world: World, client: Client) -> None:
    adopt(
        world.run(client, settle=0, patience=60), found(world, world.cluster, FORWARD) or world.begin(client)
    )
    assert world.owners() == {"CloneSet"}
    assert (world.deployment, world.replicasets) == (None, [])


def back(world: World, client: Client) -> None:
    keeper = found(world, world.cluster, BACK) or world.begin_back(client)
    release(world.run(client, patience=60), keeper, keeper.journal.target_manifest)
    assert world.owners() == {"ReplicaSet"}
    assert world.cloneset is None


def undo(source: Reference) -> Act:
    def roll_it_back(world: World, client: Client) -> None:
        if found(world, world.cluster, source) and (keeper := found(world, client, source)):
            roll_back(world.run(client, settle=0, patience=60), keeper)

    return roll_it_back


def small() -> World:
    return World(replicas=2)


def moved() -> World:
    """Give a world whose Deployment has been migrated, its journal still there."""
    world = small()
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


Walk = tuple[Callable[[], World], Act, set[str]]

WALKS: dict[str, Walk] = {
    "forward": (small, forward, {"CloneSet"}),
    "forward, undone": (moved, undo(FORWARD), {"ReplicaSet"}),
    "back": (ready_to_return, back, {"ReplicaSet"}),
    "back, undone": (returned, undo(BACK), {"CloneSet"}),
}
"""Where each begins, what it does (again, after a death), and whose the pods are in the end."""

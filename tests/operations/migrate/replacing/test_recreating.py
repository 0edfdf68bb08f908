"""All pods stop before the first new one starts, and come back where that fails (migration.md §7)."""

import pytest

from kubectl_kruise.engine.migration.journal import Mode, Phase
from kubectl_kruise.errors import KruiseError, TimedOutError
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw, dig, owner_of
from kubectl_kruise.operations.migrate.flow import roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.replacing.recreating import recreate
from tests.operations.migrate.moves import SOURCE, begin, scale, stop_at
from tests.operations.migrate.world import NAMESPACE, World


def journal_of(world: World) -> Keeper | None:
    return Keeper.find(world.cluster, world.clock, NAMESPACE, SOURCE)


class Generations:
    """Watches from within a run that old and new pods never exist at the same time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.together = False
        self.seen: set[str] = set()

    def look(self) -> None:
        owners = {str((owner_of(pod) or {}).get("kind")) for pod in self._world.pods}
        self.together |= len(owners) > 1
        self.seen |= owners


def test_old_pods_end_before_new_ones_begin() -> None:
    world = World(replicas=3, strategy={"type": "Recreate"})
    watch = Generations(world)
    keeper = begin(world, Mode.RECREATE)
    recreate(world.run(check=watch.look), keeper)
    world.sandbox.run(10)
    assert watch.seen == {"ReplicaSet", "CloneSet"}
    assert not watch.together
    assert (world.owners(), len(world.pods), world.deployment, world.replicasets) == (
        {"CloneSet"},
        3,
        None,
        [],
    )
    assert keeper.journal.phase is Phase.DONE


def test_and_back() -> None:
    world = World(replicas=2)
    keeper = begin(world, Mode.RECREATE)
    recreate(world.run(), keeper)
    watch = Generations(world)
    roll_back(world.run(check=watch.look), keeper)
    assert [ready(pod) for pod in world.pods] == [True, True]
    assert not watch.together
    assert (world.owners(), len(world.pods), world.cloneset) == ({"ReplicaSet"}, 2, None)
    assert journal_of(world) is None


def test_pods_that_cannot_start_give_the_source_its_own_back() -> None:
    world = World(replicas=2)
    with pytest.raises(TimedOutError):
        recreate(world.run(patience=30.0), begin(world, Mode.RECREATE, image="app:bad"))
    world.sandbox.run(10)
    assert (world.owners(), len(world.pods), world.cloneset) == ({"ReplicaSet"}, 2, None)
    assert journal_of(world) is None


def test_a_cloneset_that_the_server_refuses_stops_nothing() -> None:
    world = World(replicas=2)
    keeper = begin(world, Mode.RECREATE)
    refused: Raw = {**keeper.journal.target_manifest, "spec": {**keeper.journal.target_manifest["spec"]}}
    refused["spec"]["updateStrategy"] = {"type": "NoSuchType"}
    keeper.write(target_manifest=refused)
    before = world.marks()
    with pytest.raises(KruiseError):
        recreate(world.run(), keeper)
    assert (world.marks(), journal_of(world)) == (before, None)


def test_a_stopped_run_goes_on_with_the_number_of_the_start() -> None:
    world = World(replicas=3)
    keeper = begin(world, Mode.RECREATE)
    with pytest.raises(InterruptedError):
        recreate(world.run(tell=stop_at("create the CloneSet")), keeper)
    assert (dig(world.deployment, ("spec", "replicas")), world.pods) == (0, [])
    again = journal_of(world)
    assert again is not None
    recreate(world.run(), again)
    assert (world.owners(), len(world.pods)) == ({"CloneSet"}, 3)


def test_a_source_scaled_while_nobody_ran_is_stopped_again() -> None:
    world = World(replicas=2)
    keeper = begin(world, Mode.RECREATE)
    with pytest.raises(InterruptedError):
        recreate(world.run(tell=stop_at("stop every pod of the deployment")), keeper)
    scale(world, 5)
    world.sandbox.run(20)
    recreate(world.run(), keeper)
    assert len(world.pods) == 2
    assert world.cluster.list(DEPLOYMENT.path(NAMESPACE))["items"] == []

"""Others act at every point of a migration, and no pod is lost that they have not deleted themselves (§5.5, §11.3)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Transport
from kubectl_kruise.errors import KruiseError, RefusedError
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.objects.raw import dig
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError, StolenError
from tests.operations.migrate.forks import Fate, Fateful, Forks
from tests.operations.migrate.meddlers import (
    EVICTS,
    GRABS,
    RECREATES,
    STOPS_MANAGER,
    TAKES_HOLD_OFF,
    UNLOCKS,
    Meddler,
    change_source,
    scale_source,
    scale_target,
    start_manager,
)
from tests.operations.migrate.walks import (
    BACK,
    FORWARD,
    WALKS,
    Act,
    connect,
    forward,
    found,
    moved,
    ready_to_return,
    small,
    undo,
)
from tests.operations.migrate.world import NAMESPACE, World


class Seen:
    """Whether the cluster has changed since the last time."""

    def __init__(self, world: World, can: Callable[[World], bool]) -> None:
        self._world, self._can, self._last = world, can, -1

    def __call__(self, _request: Request) -> bool:
        version = self._world.sandbox.server.store.version
        if version == self._last or not self._can(self._world):
            return False
        self._last = version
        return True


@contextmanager
def meddled(world: World, act: Act, meddler: Meddler, *, least: int) -> Iterator[KruiseError | None]:
    """Let somebody meddle at every point, each in a copy; gives how the run ended there, and in the original None."""

    def meddle(inner: Transport, request: Request) -> Response:
        meddler.act(world)
        return inner.send(request)

    with Forks() as forks:
        fate = Fate("", meddle, Seen(world, meddler.can))
        ended = None
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, [fate])))
        except KruiseError as error:
            ended = error
        world.sandbox.run(60)
        if forks.inside:
            yield ended
        else:
            yield None
    assert forks.count >= least, forks.count


def adopting(world: World, client: Client) -> None:
    run = world.run(client, settle=0, patience=60)
    adopt(run, found(world, world.cluster, FORWARD) or world.begin(client))


def returning(world: World, client: Client) -> None:
    keeper = found(world, world.cluster, BACK) or world.begin_back(client)
    release(world.run(client, patience=60), keeper, keeper.journal.target_manifest)


def alive(world: World, before: set[tuple[str, str, int]]) -> int:
    """Count the pods that are still what they were."""
    return len(world.marks() & before)


@pytest.mark.parametrize(
    ("begin", "act", "owner"),
    [
        pytest.param(small, adopting, "CloneSet", id="forward"),
        pytest.param(ready_to_return, returning, "ReplicaSet", id="back"),
        pytest.param(moved, undo(FORWARD), "ReplicaSet", id="undo"),
    ],
)
def test_an_evicted_pod_alone_is_replaced(begin: Callable[[], World], act: Act, owner: str) -> None:
    """migration.md §11.3 row 44, before and after every step."""
    world = begin()
    before = world.marks()
    with meddled(world, act, EVICTS, least=12) as ended:
        assert ended is None
        assert world.owners() == {owner}
        assert len(world.pods) == len(before)
        assert alive(world, before) >= len(before) - 1


@pytest.mark.parametrize("replicas", [5, 1])
def test_a_source_that_is_scaled_meanwhile_hands_over_what_it_then_has(replicas: int) -> None:
    """migration.md §11.3 row 43."""
    world = small()
    before = world.marks()
    with meddled(world, adopting, scale_source(replicas), least=4) as ended:
        assert ended is None
        assert world.owners() == {"CloneSet"}
        assert world.cloneset is not None
        if len(world.pods) != len(before):
            assert dig(world.cloneset, ("spec", "replicas")) == len(world.pods) == replicas
        assert alive(world, before) >= min(replicas, len(before))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change_source(minReadySeconds=3), id="another spec"),
        pytest.param(
            change_source(template={"metadata": {"annotations": {"example.com/at": "noon"}}}),
            id="another template",
        ),
    ],
)
def test_a_source_that_is_changed_meanwhile_stays(change: Meddler) -> None:
    world = small()
    with meddled(world, adopting, change, least=4) as ended:
        if ended is not None:
            assert isinstance(ended, ChangedError | RefusedError)
            assert world.cloneset is None
            assert world.owners() == {"ReplicaSet"}
            assert found(world, world.cluster, FORWARD) is None
            assert len(world.pods) == 2


def test_a_source_made_again_stops_the_run_and_costs_no_pod() -> None:
    """migration.md §11.3 row 46; when whoever did it has stopped and undone it, the same command goes on."""
    world = small()
    before = world.marks()
    with meddled(world, adopting, RECREATES, least=6) as ended:
        assert alive(world, before) == len(before)
        assert isinstance(ended, RecreatedError | StolenError) or world.owners() <= {"CloneSet", "ReplicaSet"}
        if isinstance(ended, RecreatedError):
            policy = "Orphan" if "--cascade=orphan" in ended.hint else "Background"
            world.cluster.delete(DEPLOYMENT.path(NAMESPACE, "web"), options={"propagationPolicy": policy})
            world.sandbox.run(20)
            forward(world, world.cluster)
            world.sandbox.run(20)
            assert alive(world, before) == len(before)


def test_an_undo_beside_a_source_made_again_costs_no_pod() -> None:
    world = small()
    before = world.marks()
    with meddled(world, adopting, RECREATES, least=6) as ended:
        keeper = found(world, world.cluster, FORWARD)
        if ended is not None and keeper is not None:
            with suppress(RecreatedError):
                roll_back(world.run(settle=0), keeper)
            world.sandbox.run(60)
        assert alive(world, before) == len(before)


def test_a_pod_that_somebody_has_taken_is_left_to_him() -> None:
    """migration.md §11.3 row 45."""
    world = small()
    before = world.marks()
    with meddled(world, adopting, GRABS, least=1) as ended:
        if ended is not None:
            assert isinstance(ended, StolenError)
            assert alive(world, before) == len(before)
            assert world.owners() == {"CloneSet", "ConfigMap"}
            assert dig(world.cloneset, ("spec", "scaleStrategy", "maxUnavailable")) == 0
            keeper = found(world, world.cluster, FORWARD)
            assert keeper is not None
            roll_back(world.run(settle=0), keeper)
            world.sandbox.run(60)
            assert world.owners() == {"ReplicaSet", "ConfigMap"}
            assert alive(world, before) == len(before)


@pytest.mark.parametrize(
    ("meddler", "least"),
    [
        pytest.param(TAKES_HOLD_OFF, 1, id="takes the hold off"),
        pytest.param(UNLOCKS, 6, id="unlocks the CloneSet"),
    ],
)
def test_what_others_undo_is_done_again(meddler: Meddler, least: int) -> None:
    world = small()
    before = world.marks()
    with meddled(world, adopting, meddler, least=least) as ended:
        assert ended is None
        assert (alive(world, before), world.owners()) == (len(before), {"CloneSet"})


def test_a_target_that_is_scaled_down_before_it_has_the_pods_is_raised_again() -> None:
    world = small()
    before = world.marks()
    with meddled(world, adopting, scale_target(1), least=6) as ended:
        assert ended is None
        assert world.owners() == {"CloneSet"}
        assert alive(world, before) >= 1


@pytest.mark.parametrize("walk", ["forward", "forward, undone"])
def test_a_manager_that_dies_costs_no_pod(walk: str) -> None:
    """The run may end; when a manager is back, the same command goes on."""
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks()
    with meddled(world, act, STOPS_MANAGER, least=8) as _:
        assert alive(world, before) == len(before)
        start_manager(world)
        act(world, world.cluster)
        world.sandbox.run(60)
        assert (world.marks(), world.owners()) == (before, owners)


@pytest.mark.parametrize(
    "other",
    [pytest.param(forward, id="finishes it"), pytest.param(undo(FORWARD), id="undoes it")],
)
def test_two_runs_at_once_cost_no_pod(other: Act) -> None:
    """migration.md §4.1: the second finishes, or undoes, what the first is in the middle of; then the first goes on."""
    world = small()
    before = world.marks()

    def overtake(world: World) -> None:
        other(world, world.cluster)

    second = Meddler(overtake, lambda world: found(world, world.cluster, FORWARD) is not None)
    with meddled(world, adopting, second, least=10) as _:
        assert alive(world, before) == len(before)
        assert len(world.pods) == len(before)

"""Others act at every point of a migration between sets, and no pod is lost that they have not deleted themselves (migration.md §5.5)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Request, Response, Transport
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, POD, STATEFULSET
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import deleting, dig, name_of
from kubectl_kruise.operations.migrate.flow import adopt, release
from kubectl_kruise.operations.migrate.trouble import ChangedError, RecreatedError
from tests.operations.migrate.forks import Fate, Fateful, Forks
from tests.operations.migrate.sets.walks import Act, found, ready_to_return, small, undo
from tests.operations.migrate.sets.world import BACK, FORWARD, SetWorld, manifest
from tests.operations.migrate.world import NAMESPACE

NATIVE, KRUISE = (kind.path(NAMESPACE, "db") for kind in (NATIVE_STATEFULSET, STATEFULSET))
Meddle = Callable[[SetWorld], None]


def adopting(world: SetWorld, client: Client) -> None:
    keeper = found(world, world.cluster, FORWARD) or world.begin(client)
    adopt(world.run(client, settle=0, patience=60), keeper)


def returning(world: SetWorld, client: Client) -> None:
    keeper = found(world, world.cluster, BACK) or world.begin_back(client)
    release(world.run(client, settle=0, patience=60), keeper, keeper.journal.target_manifest)


@contextmanager
def meddled(
    world: SetWorld, act: Act, meddle: Meddle, can: Callable[[SetWorld], bool], *, least: int
) -> Iterator[KruiseError | None]:
    """Let somebody meddle at every point, each in a copy; gives how the run ended there, and in the original None."""
    store, last = world.sandbox.server.store, -1

    def news(_request: Request) -> bool:
        nonlocal last
        if store.version == last or not can(world):
            return False
        last = store.version
        return True

    def befall(inner: Transport, request: Request) -> Response:
        meddle(world)
        return inner.send(request)

    with Forks() as forks:
        ended = None
        try:
            act(world, world.connect(Fateful(world.cluster._transport, forks, [Fate("", befall, news)])))
        except KruiseError as error:
            ended = error
        world.sandbox.run(60)
        yield ended if forks.inside else None
    assert forks.count >= least, forks.count


def evict(world: SetWorld) -> None:
    pod = name_of(next(pod for pod in world.pods if active(pod)))
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    world.cluster.create(POD.path(NAMESPACE, pod, subresource="eviction"), body)


def recreate(world: SetWorld) -> None:
    world.cluster.create(NATIVE_STATEFULSET.path(NAMESPACE), manifest(NATIVE_STATEFULSET))
    world.sandbox.run(3)


def source_lives(world: SetWorld) -> bool:
    return world.native is not None and not deleting(world.native)


@pytest.mark.parametrize(
    ("begin", "act", "owner"),
    [
        pytest.param(small, adopting, "kruise", id="forward"),
        pytest.param(ready_to_return, returning, "native", id="back"),
    ],
)
def test_an_evicted_pod_alone_is_made_again(begin: Callable[[], SetWorld], act: Act, owner: str) -> None:
    """migration.md §11.3 row 44: under its name, with its claim."""
    world = begin()
    before, claims = world.marks(), world.claims()
    with meddled(world, act, evict, lambda world: any(map(active, world.pods)), least=8) as ended:
        assert ended is None
        assert (world.owners(), world.claims(), len(world.pods)) == ({owner}, claims, len(before))
        assert len(world.marks() & before) >= len(before) - 1


@pytest.mark.parametrize("replicas", [3, 1])
def test_a_source_that_is_scaled_meanwhile_hands_over_what_it_then_has(replicas: int) -> None:
    """migration.md §11.3 row 43."""
    world = small()
    before = world.marks()

    def scale(world: SetWorld) -> None:
        world.merge(f"{NATIVE}/scale", {"spec": {"replicas": replicas}})
        world.sandbox.settle()

    with meddled(world, adopting, scale, source_lives, least=4) as ended:
        assert ended is None
        assert world.owners() == {"kruise"}
        assert len(world.marks() & before) >= min(replicas, len(before))
        if len(world.pods) != len(before):
            assert dig(world.kruise, ("spec", "replicas")) == len(world.pods) == replicas


def test_a_source_whose_template_changes_meanwhile_stays() -> None:
    world = small()

    def change(world: SetWorld) -> None:
        world.merge(NATIVE, {"spec": {"template": {"metadata": {"annotations": {"example.com/at": "noon"}}}}})
        world.sandbox.settle()

    with meddled(world, adopting, change, source_lives, least=4) as ended:
        if ended is not None:
            assert isinstance(ended, ChangedError)
            assert (world.owners(), world.kruise) == ({"native"}, None)
            assert found(world, world.cluster, FORWARD) is None


def test_a_target_whose_template_changes_meanwhile_is_held() -> None:
    """Its pods are not of the new template: they would be made anew, and their label would not say so."""
    world = small()
    before = world.marks()

    def change(world: SetWorld) -> None:
        world.merge(KRUISE, {"spec": {"template": {"metadata": {"annotations": {"example.com/at": "noon"}}}}})

    def held(world: SetWorld) -> bool:
        return bool(dig(world.kruise, ("spec", "updateStrategy", "rollingUpdate", "paused")))

    with meddled(world, adopting, change, held, least=4) as ended:
        if ended is not None:
            assert isinstance(ended, ChangedError)
            assert world.marks() == before
            assert held(world)


def test_a_source_made_again_stops_the_run_and_costs_no_pod() -> None:
    """migration.md §5.2.2, last row; when whoever did it has stopped and undone it, the same command goes on."""
    world = small()
    before, claims = world.marks(), world.claims()
    with meddled(world, adopting, recreate, lambda world: world.native is None, least=3) as ended:
        assert world.marks() == before
        if ended is not None:
            assert isinstance(ended, RecreatedError)
            world.cluster.delete(NATIVE, options={"propagationPolicy": "Orphan"})
            world.sandbox.run(20)
            adopting(world, world.cluster)
            world.sandbox.run(20)
            assert (world.marks(), world.claims(), world.owners()) == (before, claims, {"kruise"})


def test_a_target_that_is_let_work_is_held_again() -> None:
    world = small()
    before = world.marks()

    def let_work(world: SetWorld) -> None:
        world.merge(KRUISE, {"spec": {"updateStrategy": {"rollingUpdate": {"paused": False}}}})

    with meddled(world, adopting, let_work, lambda world: world.kruise is not None, least=4) as ended:
        assert ended is None
        assert (world.marks(), world.owners()) == (before, {"kruise"})


@pytest.mark.parametrize(
    "other", [pytest.param(adopting, id="finishes it"), pytest.param(undo(FORWARD), id="undoes it")]
)
def test_two_runs_at_once_cost_no_pod(other: Act) -> None:
    world = small()
    before, claims = world.marks(), world.claims()

    def overtake(world: SetWorld) -> None:
        other(world, world.cluster)

    begun = lambda world: found(world, world.cluster, FORWARD) is not None  # noqa: E731
    with meddled(world, adopting, overtake, begun, least=6) as _:
        assert (world.marks(), world.claims()) == (before, claims)

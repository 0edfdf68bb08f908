"""Pods are replaced a few at a time, and neither limit is broken at any moment (migration.md §6.1, §11.3)."""

import pytest

from kubectl_kruise.engine.migration.journal import Phase
from kubectl_kruise.engine.migration.stages import Counts, Stage
from kubectl_kruise.errors import TimedOutError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD, RESOURCE_QUOTA
from kubectl_kruise.objects.raw import dig, name_of, owner_of
from kubectl_kruise.operations.migrate.flow import roll_back
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.replacing.gradual import move_over
from kubectl_kruise.operations.migrate.trouble import (
    ChangedError,
    ForeignScaleError,
    NoManagerError,
    RecreatedError,
    TargetExistsError,
)
from tests.operations.migrate.ledger import Ledger
from tests.operations.migrate.moves import SOURCE, begin, fail, image_of, merge, scale, spec_of, stop_when
from tests.operations.migrate.world import NAMESPACE, World


@pytest.mark.parametrize(
    ("replicas", "surging", "unavailable"),
    [
        pytest.param(4, 1, 0, id="migration.md §11.3 row 55"),
        pytest.param(10, 3, 2, id="migration.md §11.3 row 57"),
        pytest.param(3, 0, 1, id="no surge"),
        pytest.param(1, 1, 0, id="a single pod"),
    ],
)
def test_limits_hold_at_every_version(replicas: int, surging: int, unavailable: int) -> None:
    world = World(replicas=replicas)
    ledger = Ledger(world.cluster)
    keeper = begin(world, surge=surging, unavailable=unavailable)
    lowest = move_over(world.run(), keeper)
    world.sandbox.run(30)
    extremes = ledger.extremes()
    assert extremes.fewest_ready == lowest >= replicas - unavailable
    assert extremes.most_wanted <= replicas + surging
    assert extremes.most_pods <= replicas + surging
    assert (len(world.pods), world.owners()) == (replicas, {"CloneSet"})
    assert (world.deployment, world.replicasets) == (None, [])
    assert keeper.journal.phase is Phase.DONE


def test_back_again() -> None:
    world = World()
    keeper = begin(world)
    move_over(world.run(), keeper)
    ledger = Ledger(world.cluster)
    roll_back(world.run(), keeper)
    world.sandbox.run(30)
    assert ledger.extremes().fewest_ready == 4
    assert (len(world.pods), world.owners()) == (4, {"ReplicaSet"})
    assert world.cloneset is None


def wanted(world: World) -> tuple[int, int]:
    return dig(world.deployment, ("spec", "replicas"), 0), dig(world.cloneset, ("spec", "replicas"), 0)


def test_pods_that_never_get_ready_end_it_on_the_clock() -> None:
    """Fault B027, migration.md §11.3 row 56."""
    world = World(replicas=3)
    began = world.clock.monotonic()
    keeper = begin(world, image="app:bad")
    with pytest.raises(TimedOutError, match="no progress for 60s, 0 of 3 pods moved") as caught:
        move_over(world.run(patience=60.0), keeper)
    assert world.clock.monotonic() - began < 70
    assert "not ready: web-" in caught.value.cause
    assert "--rollback" in caught.value.hint
    assert wanted(world) == (3, 1)
    roll_back(world.run(), keeper)
    world.sandbox.run(10)
    assert (wanted(world), len(world.pods)) == ((3, 0), 3)


def test_the_way_back_drops_what_never_got_ready_first() -> None:
    """Half of the pods have moved, the next one never becomes ready: nothing but its name leads on."""
    world = World(replicas=4)
    keeper = begin(world)
    with pytest.raises(InterruptedError):
        move_over(world.run(seen=stop_when(2)), keeper)
    fail(world, next(name_of(pod) for pod in world.pods if (owner_of(pod) or {})["kind"] == "CloneSet"))
    ledger = Ledger(world.cluster)
    roll_back(world.run(patience=60.0), keeper)
    assert wanted(world) == (4, 0)
    assert ledger.extremes().fewest_ready >= 3


def test_unready_pods_of_the_source_need_more_room() -> None:
    world = World(replicas=3)
    fail(world, name_of(world.pods[0]))
    keeper = begin(world)
    with pytest.raises(TimedOutError):
        move_over(world.run(patience=30.0), keeper)
    assert wanted(world) == (3, 1)
    keeper.write(options={**keeper.journal.options, "unavailable": 1})
    move_over(world.run(), keeper)
    assert wanted(world) == (0, 3)


def test_somebody_else_scales_the_source() -> None:
    """migration.md §11.3 row 58."""
    world = World()
    keeper = begin(world)
    scale(world, 6)
    with pytest.raises(ForeignScaleError, match='deployment "web" to 6: stopped, both serve'):
        move_over(world.run(), keeper)
    assert wanted(world) == (6, 0)


def test_what_somebody_else_scales_is_followed_when_asked() -> None:
    world = World()
    keeper = begin(world, follow=True)
    scale(world, 6)
    move_over(world.run(), keeper)
    assert wanted(world) == (0, 6)


def test_a_changed_template_stops_it() -> None:
    world = World()
    keeper = begin(world)
    merge(DEPLOYMENT, world, image_of("app:2"))
    with pytest.raises(ChangedError, match="template"):
        move_over(world.run(), keeper)


def test_a_source_of_no_pods_has_moved_at_once() -> None:
    """Fault B003."""
    world = World(replicas=0)
    keeper = begin(world, keep_source=True)
    assert move_over(world.run(), keeper) == 0
    assert keeper.journal.phase is Phase.DONE
    assert wanted(world) == (0, 0)
    assert world.cloneset is not None


def test_the_source_may_stay_at_nothing() -> None:
    world = World(replicas=2)
    keeper = begin(world, keep_source=True)
    move_over(world.run(), keeper)
    assert wanted(world) == (0, 2)
    roll_back(world.run(), keeper)
    assert wanted(world) == (2, 0)


def test_a_paused_deployment_becomes_a_paused_cloneset_with_pods() -> None:
    world = World(replicas=2)
    merge(DEPLOYMENT, world, {"spec": {"paused": True}})
    world.sandbox.run(5)
    keeper = begin(world)
    paused = set()

    def look(stage: Stage, _counts: Counts | None = None) -> None:
        if stage is Stage.MOVE_PODS:
            paused.add(bool(dig(world.cloneset, ("spec", "updateStrategy", "paused"))))

    move_over(world.run(seen=look), keeper)
    assert paused == {False}
    assert dig(world.cloneset, ("spec", "updateStrategy", "paused")) is True
    assert len(world.pods) == 2
    roll_back(world.run(), keeper)
    world.sandbox.run(10)
    assert (wanted(world), len(world.pods)) == ((2, 0), 2)
    assert spec_of(world, DEPLOYMENT)["paused"] is True


def test_without_a_controller_everything_is_as_before() -> None:
    """migration.md §11.3 row 47, for moves that make new pods."""
    world = World(manager=False)
    with pytest.raises(NoManagerError):
        move_over(world.run(), begin(world))
    assert (wanted(world), world.cloneset) == ((4, 0), None)
    assert Keeper.find(world.cluster, world.clock, NAMESPACE, SOURCE) is None


def test_waiting_for_the_end_of_old_pods_keeps_the_number_of_pods_down() -> None:
    world = World(replicas=3)
    most = []

    def see() -> None:
        most.append(len(world.pods))

    move_over(world.run(check=see), begin(world, wait_termination=True))
    assert max(most) == 4


def test_pods_count_as_moved_when_they_have_been_ready_long_enough() -> None:
    world = World(replicas=2, minReadySeconds=20)
    began = world.clock.monotonic()
    move_over(world.run(settle=0), begin(world))
    assert world.clock.monotonic() - began > 40


def test_a_rollout_under_way_is_no_hindrance() -> None:
    """migration.md §11.2 row 31: several ReplicaSets have pods."""
    world = World(replicas=3)
    merge(DEPLOYMENT, world, image_of("app:slow-30s"))
    world.sandbox.run(5)
    assert len(world.pods) == 4
    keeper = begin(world, image="app:3")
    move_over(world.run(), keeper)
    world.sandbox.run(10)
    assert (world.owners(), world.replicasets, len(world.pods)) == ({"CloneSet"}, [], 3)
    roll_back(world.run(), keeper)
    world.sandbox.run(10)
    assert len(world.replicasets) == 2


def test_some_pods_may_stay() -> None:
    world = World(replicas=4)
    keeper = begin(world, part=1)
    move_over(world.run(), keeper)
    assert (wanted(world), world.owners()) == ((3, 1), {"ReplicaSet", "CloneSet"})
    roll_back(world.run(), keeper)
    assert wanted(world) == (4, 0)


def test_a_deployment_made_again_keeps_its_pods() -> None:
    """migration.md §5.1.3: stop, nothing lost."""
    world = World(replicas=2)
    keeper = begin(world)
    again = {**keeper.journal.source_manifest}
    with pytest.raises(InterruptedError):
        move_over(world.run(seen=stop_when(2)), keeper)
    world.cluster.delete(DEPLOYMENT.path(NAMESPACE, "web"))
    world.sandbox.run(10)
    world.cluster.create(DEPLOYMENT.path(NAMESPACE), again)
    world.sandbox.run(20)
    with pytest.raises(RecreatedError):
        move_over(world.run(), keeper)
    assert len(world.pods) == 4


def test_a_source_scaled_up_at_the_end_is_not_deleted() -> None:
    world = World(replicas=2)
    keeper = begin(world)

    def meddle(stage: Stage, _counts: Counts | None = None) -> None:
        if stage is Stage.DELETE_SOURCE:
            scale(world, 2)
            world.sandbox.run(10)

    with pytest.raises(ForeignScaleError, match="both workloads stay"):
        move_over(world.run(seen=meddle), keeper)
    assert len(world.pods) == 4
    roll_back(world.run(), keeper)
    assert wanted(world) == (4, 0)


def test_a_cloneset_of_somebody_else_is_left_alone() -> None:
    world = World(replicas=2)
    keeper = begin(world)
    world.cluster.create(CLONESET.path(NAMESPACE), keeper.journal.target_manifest)
    with pytest.raises(TargetExistsError):
        move_over(world.run(), keeper)
    assert wanted(world) == (2, 2)


def test_a_dip_between_two_looks_is_reported() -> None:
    world = World(replicas=3)
    keeper = begin(world)
    dipped = False

    def dip(_stage: Stage, counts: Counts | None = None) -> None:
        nonlocal dipped
        if counts is not None and counts.moved == 1 and not dipped:
            dipped = True
            for pod in world.pods[:2]:
                world.cluster.delete(POD.path(NAMESPACE, name_of(pod)))

    ledger = Ledger(world.cluster)
    lowest = move_over(world.run(seen=dip), keeper)
    assert lowest == ledger.extremes().fewest_ready < 3
    assert keeper.journal.counters["lowest"] == lowest


def test_pods_that_cannot_even_be_made_are_told_of() -> None:
    world = World(replicas=2)
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}}
    world.cluster.create(RESOURCE_QUOTA.path(NAMESPACE), quota)
    world.sandbox.run(10)
    with pytest.raises(TimedOutError) as caught:
        move_over(world.run(patience=30.0), begin(world))
    assert caught.value.cause == 'cloneset "web" has 0 of 1 pods: its events say why'
    assert wanted(world) == (2, 1)


def test_a_source_that_was_ill_before_is_given_its_pods_back_all_the_same() -> None:
    """Whoever rolls back gets what there was, not more: nothing waits for pods that nobody can make available."""
    world = World(replicas=4)
    merge(
        DEPLOYMENT,
        world,
        {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:bad"}]}}}},
    )
    world.sandbox.run(60)
    keeper = begin(world)
    with pytest.raises(TimedOutError):
        move_over(world.run(patience=30.0), keeper)

    roll_back(world.run(patience=30.0), keeper)

    assert world.cloneset is None
    assert wanted(world)[0] == 4

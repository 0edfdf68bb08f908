"""Sets whose pods are made anew: one ordinal at a time, or all at once; their claims live through both (migration.md §6.2, §7)."""

import signal
from collections.abc import Callable
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.engine.migration.journal import Mode, Phase
from kubectl_kruise.errors import KruiseError, StoppedError, TimedOutError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, POD, STATEFULSET
from kubectl_kruise.objects.pod import ready
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.operations.migrate.carrying import carry_out
from kubectl_kruise.operations.migrate.flow import roll_back
from kubectl_kruise.operations.migrate.trouble import ForeignScaleError, NoManagerError
from tests.operations.migrate.ledger import Ledger
from tests.operations.migrate.moves import stop_at
from tests.operations.migrate.sets.replacing import DELETE, begin
from tests.operations.migrate.sets.walks import found
from tests.operations.migrate.sets.world import BACK, FORWARD, SetWorld
from tests.operations.migrate.world import NAMESPACE

MODES = (Mode.HANDOVER, Mode.RECREATE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kruise", [False, True])
@pytest.mark.parametrize("management", ["Parallel", "OrderedReady"])
def test_there_and_undone(mode: Mode, management: str, *, kruise: bool) -> None:
    """migration.md §11.3 row 59; claims of a set that takes them along survive all the same."""
    world = SetWorld(
        kruise=kruise,
        replicas=3,
        podManagementPolicy=management,
        persistentVolumeClaimRetentionPolicy=DELETE,
    )
    pods, claims, ledger = world.marks(), world.claims(), Ledger(world.cluster)
    keeper = begin(world, mode)
    carry_out(world.run(), keeper)
    world.sandbox.run(20)
    mine, others = ("native", "kruise") if kruise else ("kruise", "native")
    assert (world.owners(), getattr(world, others)) == ({mine}, None)
    _check(world, getattr(world, mine), claims)
    assert not world.marks() & pods
    assert keeper.journal.phase is Phase.DONE
    roll_back(world.run(), keeper)
    world.sandbox.run(20)
    assert (world.owners(), getattr(world, mine)) == ({others}, None)
    _check(world, getattr(world, others), claims)
    assert found(world, world.cluster, BACK if kruise else FORWARD) is None
    extremes = ledger.extremes()
    assert extremes.most_pods == 3
    if mode is Mode.HANDOVER:
        assert extremes.fewest_ready == 2
    else:
        assert extremes.generations == 1


def _check(world: SetWorld, live: Raw | None, claims: set[tuple[str, str]]) -> None:
    assert live is not None
    assert world.claims() == claims
    assert sorted(map(name_of, world.pods)) == ["db-0", "db-1", "db-2"]
    assert all(map(ready, world.pods))
    spec = live["spec"]
    assert (spec["replicas"], spec.get("reserveOrdinals")) == (3, None)
    assert spec["persistentVolumeClaimRetentionPolicy"] == DELETE


def test_ordinals_that_begin_later() -> None:
    """Those below the first stay reserved all the while."""
    world = SetWorld(ordinals={"start": 5}, replicas=2)
    claims, keeper = world.claims(), begin(world, Mode.HANDOVER)
    carry_out(world.run(), keeper)
    assert sorted(map(name_of, world.pods)) == ["db-5", "db-6"]
    assert dig(world.kruise, ("spec", "reserveOrdinals")) == [0, 1, 2, 3, 4]
    roll_back(world.run(), keeper)
    assert sorted(map(name_of, world.pods)) == ["db-5", "db-6"]
    assert (world.owners(), world.claims()) == ({"native"}, claims)


def test_a_template_that_changes_with_the_set() -> None:
    world = SetWorld(replicas=2)
    carry_out(world.run(), begin(world, Mode.HANDOVER, image="pg:17"))
    assert {dig(pod, ("spec", "containers"))[0]["image"] for pod in world.pods} == {"pg:17"}


def test_pods_that_cannot_start_stop_a_handover_where_it_is() -> None:
    """Two of three serve; back again all do (migration.md §6.2)."""
    world = SetWorld(replicas=3)
    ledger = Ledger(world.cluster)
    keeper = begin(world, Mode.HANDOVER, image="pg:bad")
    with pytest.raises(TimedOutError, match="0 of 3 pods moved") as caught:
        carry_out(world.run(patience=30.0), keeper)
    assert "db-2" in str(caught.value.cause)
    assert sum(map(ready, world.pods)) == 2
    roll_back(world.run(patience=60.0), keeper)
    world.sandbox.run(10)
    assert (world.owners(), sum(map(ready, world.pods)), world.kruise) == ({"native"}, 3, None)
    assert ledger.extremes().fewest_ready == 2


def test_pods_that_cannot_start_give_the_set_its_own_back() -> None:
    world = SetWorld(replicas=2, persistentVolumeClaimRetentionPolicy=DELETE)
    claims = world.claims()
    with pytest.raises(TimedOutError):
        carry_out(world.run(patience=30.0), begin(world, Mode.RECREATE, image="pg:bad"))
    world.sandbox.run(10)
    assert (world.owners(), len(world.pods), world.kruise) == ({"native"}, 2, None)
    assert world.claims() == claims
    assert dig(world.native, ("spec", "persistentVolumeClaimRetentionPolicy")) == DELETE
    assert found(world, world.cluster, FORWARD) is None


@pytest.mark.parametrize("mode", MODES)
def test_without_a_manager_everything_is_as_before(mode: Mode) -> None:
    world = SetWorld(manager=False, persistentVolumeClaimRetentionPolicy=DELETE)
    keeper = begin(world, mode)
    with pytest.raises(NoManagerError):
        carry_out(world.run(), keeper)
    world.sandbox.run(20)
    assert (world.owners(), len(world.pods), world.kruise) == ({"native"}, 2, None)
    assert dig(world.native, ("spec", "persistentVolumeClaimRetentionPolicy")) == DELETE
    assert keeper.removed
    assert found(world, world.cluster, FORWARD) is None


def test_a_set_that_the_server_refuses_stops_nothing() -> None:
    world = SetWorld()
    keeper = begin(world, Mode.RECREATE)
    spec = {**keeper.journal.target_manifest["spec"], "updateStrategy": {"type": "NoSuchType"}}
    keeper.write(target_manifest={**keeper.journal.target_manifest, "spec": spec})
    before = world.marks()
    with pytest.raises(KruiseError):
        carry_out(world.run(), keeper)
    assert (world.marks(), found(world, world.cluster, FORWARD)) == (before, None)


@pytest.mark.parametrize("meddle", [
    lambda world: _patch(world, "native", {"replicas": 3}),
    lambda world: _patch(world, "kruise", {"replicas": 3}),
    lambda world: _patch(world, "kruise", {"reserveOrdinals": None}),
])  # fmt: skip
def test_somebody_who_scales_stops_a_handover(meddle: Callable[[SetWorld], None]) -> None:
    """migration.md §11.3 row 58, for ordinals: whoever changes a line makes names that are taken."""
    world = SetWorld(replicas=3)
    keeper = begin(world, Mode.HANDOVER)
    with pytest.raises(InterruptedError):
        carry_out(world.run(seen=_at_ordinal(1)), keeper)
    meddle(world)
    with pytest.raises(ForeignScaleError):
        carry_out(world.run(), keeper)


def test_pods_that_were_not_ready_before_need_not_become_so() -> None:
    world = SetWorld(replicas=2)
    body = {"spec": {"containers": [{"name": "main", "image": "pg:unready"}]}}
    world.cluster.patch(POD.path(NAMESPACE, "db-0"), Patch(PatchType.STRATEGIC, body))
    world.sandbox.run(10)
    with pytest.raises(TimedOutError, match="no progress"):
        carry_out(world.run(patience=20.0), begin(world, Mode.HANDOVER))
    roll = found(world, world.cluster, FORWARD)
    assert roll is not None
    roll.write(options={"allow_unready": True})
    carry_out(world.run(patience=60.0), roll)
    assert world.owners() == {"kruise"}


@pytest.mark.parametrize("mode", MODES)
def test_who_stops_a_run_can_resume_it(mode: Mode) -> None:
    """It is not undone: Ctrl-C says nothing against the new pods."""
    world = SetWorld(replicas=2)
    keeper, stop = begin(world, mode), _stop_while_pods_move(world)
    with pytest.raises(StoppedError):
        carry_out(world.run(check=stop), keeper)
    assert keeper.journal.phase is Phase.STARTED
    carry_out(world.run(), keeper)
    assert (world.owners(), len(world.pods)) == ({"kruise"}, 2)


def _stop_while_pods_move(world: SetWorld) -> Callable[[], None]:
    def check() -> None:
        if dig(world.native, ("spec", "replicas")) != 2:
            raise StoppedError(signal.SIGINT)

    return check


def test_a_stopped_run_goes_on_with_the_number_of_the_start() -> None:
    world = SetWorld(replicas=3)
    claims, keeper = world.claims(), begin(world, Mode.RECREATE)
    with pytest.raises(InterruptedError):
        carry_out(world.run(tell=stop_at("create the Advanced StatefulSet")), keeper)
    assert (dig(world.native, ("spec", "replicas")), world.pods) == (0, [])
    again = found(world, world.cluster, FORWARD)
    assert again is not None
    carry_out(world.run(), again)
    assert (world.owners(), len(world.pods), world.claims()) == ({"kruise"}, 3, claims)


def _patch(world: SetWorld, which: str, spec: Raw) -> None:
    kind = NATIVE_STATEFULSET if which == "native" else STATEFULSET
    world.merge(kind.path(NAMESPACE, "db"), {"spec": spec})


def _at_ordinal(moved: int) -> Callable[..., None]:
    def see(_stage: Any, counts: Any = None) -> None:
        if counts is not None and counts.moved >= moved:
            raise InterruptedError

    return see

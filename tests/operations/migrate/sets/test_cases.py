"""Migrations between sets, case by case (migration.md §5.2, §5.4, §11.3)."""

import pytest

from kubectl_kruise.convert.statefulset import SetTarget
from kubectl_kruise.engine.migration.sets import Sets
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, PVC, RESOURCE_QUOTA, STATEFULSET
from kubectl_kruise.facts.names import MIGRATE_ID
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, name_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.before.outlook import Order, Wish
from kubectl_kruise.operations.migrate.before.preflight import look_ahead
from kubectl_kruise.operations.migrate.flow import adopt, release, roll_back
from kubectl_kruise.operations.migrate.handover.driving import drive
from kubectl_kruise.operations.migrate.handover.sets import SetHandover
from kubectl_kruise.operations.migrate.trouble import ChangedError, NoManagerError
from tests.operations.migrate.sets.walks import back, forward, found, moved
from tests.operations.migrate.sets.world import FORWARD, SetWorld
from tests.operations.migrate.world import NAMESPACE

DELETES = {"whenDeleted": "Delete", "whenScaled": "Retain"}


def codes(world: SetWorld, wish: Wish = Wish(), *, kruise: bool = False) -> list[str]:  # noqa: B008 - immutable
    """Give the codes of everything that does not pass, refusals first."""
    live, kind = (world.kruise, STATEFULSET) if kruise else (world.native, NATIVE_STATEFULSET)
    assert live is not None
    ahead = look_ahead(world.run(), Workload(live, kind), wish)
    return [each.check.code for each in ahead.findings if not each.check.passed]


def test_nothing_stands_against_a_plain_set_either_way() -> None:
    world = SetWorld()
    assert codes(world) == []
    forward(world, world.cluster)
    assert codes(world, kruise=True) == []


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        pytest.param({"minReadySeconds": 900}, "P-MINREADY", id="migration.md §11.1 row 18"),
        pytest.param(
            {"persistentVolumeClaimRetentionPolicy": DELETES}, "P-PVCPOL", id="claims go with the set"
        ),
    ],
)
def test_what_is_told_before(spec: Raw, code: str) -> None:
    assert code in codes(SetWorld(**spec))


def test_a_rollout_under_way_is_refused() -> None:
    """migration.md §11.2 row 39."""
    world = SetWorld(updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 1}})
    path = NATIVE_STATEFULSET.path(NAMESPACE, "db")
    world.merge(path, {"spec": {"template": {"metadata": {"annotations": {"example.com/at": "noon"}}}}})
    world.sandbox.run(60)
    assert "P-ROLLOUT" in codes(world)


def test_pods_that_wait_for_their_deletion_are_refused() -> None:
    """With OnDelete a new template is a rollout under way until every pod has been deleted once."""
    world = SetWorld(updateStrategy={"type": "OnDelete"})
    assert codes(world) == []
    path = NATIVE_STATEFULSET.path(NAMESPACE, "db")
    world.merge(path, {"spec": {"template": {"metadata": {"annotations": {"example.com/at": "noon"}}}}})
    world.sandbox.run(10)
    assert codes(world) == ["P-ROLLOUT"]


def test_claims_that_go_with_the_set_stay_and_belong_to_the_new_one() -> None:
    """migration.md §11.3 row 53."""
    world = SetWorld(persistentVolumeClaimRetentionPolicy=DELETES)
    claims = world.claims()
    forward(world, world.cluster)
    world.sandbox.run(10)
    owners = {each["apiVersion"] for claim in world.all(PVC) for each in claim["metadata"]["ownerReferences"]}
    assert (world.claims(), owners) == (claims, {"apps.kruise.io/v1beta1"})
    assert dig(world.kruise, ("spec", "persistentVolumeClaimRetentionPolicy")) == DELETES


@pytest.mark.parametrize("start", [3, 5])
def test_ordinals_that_begin_later(start: int) -> None:
    """migration.md §11.3 row 54: they are reserved, for nobody goes by a start without its gate."""
    world = SetWorld(ordinals={"start": start})
    before = world.marks()
    forward(world, world.cluster)
    world.sandbox.run(60)
    assert world.marks() == before
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    keeper.remove()
    back(world, world.cluster)
    assert (world.marks(), dig(world.native, ("spec", "ordinals", "start"))) == (before, start)


def test_updates_in_place_change_the_template_and_no_pod() -> None:
    """fault B019: the gate makes another revision; the pods get its label, and none is made anew."""
    world = SetWorld()
    before = world.marks()
    adopt(world.run(settle=0), world.begin(target=SetTarget(policy="InPlaceIfPossible")))
    world.sandbox.run(60)
    assert (world.marks(), world.owners()) == (before, {"kruise"})
    assert dig(world.kruise, ("status", "updatedReplicas")) == 2


def test_the_book_keeping_goes_and_where_it_came_from_stays() -> None:
    world = moved()
    assert world.kruise is not None
    assert set(annotations_of(world.kruise)) == {"kruise-migrate/source"}
    assert MIGRATE_ID not in annotations_of(world.kruise)


def test_without_a_manager_everything_is_as_before() -> None:
    """migration.md §5.4, §11.3 row 47."""
    world = SetWorld(manager=False, persistentVolumeClaimRetentionPolicy=DELETES)
    before = world.marks()
    with pytest.raises(NoManagerError):
        adopt(world.run(patience=300), world.begin())
    world.sandbox.run(10)
    assert (world.marks(), world.kruise, found(world, world.cluster, FORWARD)) == (before, None, None)
    assert dig(world.native, ("spec", "persistentVolumeClaimRetentionPolicy")) == DELETES


def test_a_target_that_was_updated_is_not_undone() -> None:
    world = moved()
    template = {"metadata": {"annotations": {"example.com/at": "noon"}}}
    world.merge(STATEFULSET.path(NAMESPACE, "db"), {"spec": {"template": template}})
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    with pytest.raises(ChangedError, match="asts"):
        roll_back(world.run(), keeper)


def test_a_short_quota_lets_the_new_set_come_last() -> None:
    """migration.md §5.2.1, P-QUOTA: no create fails, so none is charged."""
    world = SetWorld()
    before = world.marks()
    world.cluster.create(
        RESOURCE_QUOTA.path(NAMESPACE), {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "4"}}}
    )
    world.sandbox.run(10)
    assert codes(world) == ["P-MANAGER", "P-QUOTA"]
    assert codes(world, Wish(order=Order.TARGET_FIRST)) == ["P-QUOTA"]
    with pytest.raises(NoManagerError):
        adopt(world.run(), world.begin(target_last=True))
    assert (world.marks(), world.owners()) == (before, {"native"})


def test_back_with_the_target_last_leaves_no_failed_create() -> None:
    world = moved()
    before = world.marks()
    keeper = found(world, world.cluster, FORWARD)
    assert keeper is not None
    keeper.remove()
    returning = world.begin_back(target_last=True)
    release(world.run(settle=0), returning, returning.journal.target_manifest)
    world.sandbox.run(60)
    assert (world.marks(), world.owners()) == (before, {"native"})
    events = world.cluster.list(f"/api/v1/namespaces/{NAMESPACE}/events")["items"]
    late = [
        each for each in events if each.get("reason") == "FailedCreate" and name_of(each).startswith("db.")
    ]
    assert all(dig(each, ("involvedObject", "apiVersion")) != "apps/v1" for each in late)


def test_what_the_server_refuses_leaves_nothing() -> None:
    """migration.md §5.2.1 T3: it is asked by a dry run, and then neither a set nor a journal is there."""
    world = SetWorld()
    keeper = world.begin()
    keeper.journal.target_manifest["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] = 0
    with pytest.raises(KruiseError) as failed:
        adopt(world.run(), keeper)
    assert "maxUnavailable" in failed.value.cause
    assert (world.kruise, found(world, world.cluster, FORWARD), world.owners()) == (None, None, {"native"})


class _Careless(SetHandover):
    """Creates the new set with fewer replicas than there are pods."""

    def target(self, now: Sets) -> Raw:
        body = super().target(now)
        body["spec"]["replicas"] = 1
        return body

    def resized(self, now: Sets) -> bool:
        return False


def test_a_new_set_of_fewer_replicas_would_delete_pods() -> None:
    """migration.md §11.3 row 49: held or not, it has no place for them; so that there is a guard matters."""
    world = SetWorld()
    before = world.marks()
    drive(world.run(), _Careless(world.run(), world.begin(), to_kruise=True).course)
    world.sandbox.run(60)
    assert len(world.marks() & before) == 1

"""`migrate statefulset/db` and `migrate asts/db --to statefulset` as they are typed."""

import signal

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.raw import dig
from tests.operations.migrate.sets.world import SetWorld
from tests.operations.migrate.world import NAMESPACE
from tests.verbs.migrate.conftest import Desk
from tests.verbs.migrate.test_steering import interrupt


@pytest.fixture
def world() -> SetWorld:
    return SetWorld()


@pytest.fixture
def desk(world: SetWorld) -> Desk:
    return Desk(world)  # type: ignore[arg-type]


def test_there_and_back_and_both_undone(world: SetWorld, desk: Desk) -> None:
    before = world.marks(), world.claims()
    for line, said, owner in (
        ("statefulset/db", "statefulset.apps/db migrated to statefulset.apps.kruise.io/db", "kruise"),
        ("statefulset/db --rollback", "statefulset.apps/db rolled back", "native"),
        ("sts/db", "statefulset.apps/db migrated to statefulset.apps.kruise.io/db", "kruise"),
        (
            "asts/db --to statefulset",
            "statefulset.apps.kruise.io/db migrated to statefulset.apps/db",
            "native",
        ),
        ("asts/db --rollback", "statefulset.apps.kruise.io/db rolled back", "kruise"),
    ):
        answer = desk.run(f"{line} --yes --settle 0")
        assert (answer.code, answer.out.strip()) == (0, said), answer.err
        assert (world.marks(), world.claims(), world.owners()) == (*before, {owner})


def test_the_plan_tells_every_request_and_sends_none(desk: Desk) -> None:
    answer = desk.run("statefulset/db --dry-run=server")
    assert (answer.code, answer.err, desk.writes) == (0, "", [])
    assert "Plan: migrate statefulset/db → Advanced StatefulSet db" in answer.out
    assert "DELETE /apis/apps/v1/namespaces/shop/statefulsets/db" in answer.out
    assert answer.out.count("PATCH  /api/v1/namespaces/shop/pods/db-") == 2


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("handover", "move 2 ordinals, one at a time from the highest"),
        ("recreate", "stop all 2 pods of StatefulSet db"),
    ],
)
def test_pods_made_anew_there_and_back(world: SetWorld, desk: Desk, mode: str, said: str) -> None:
    claims = world.claims()
    plan = desk.run(f"statefulset/db --mode {mode} --dry-run=server")
    assert (plan.code, plan.err, desk.writes) == (0, "", [])
    assert said in plan.out
    assert "Pods: 2 new, 2 removed." in plan.out
    planned = plan.out.count("PATCH  /apis/apps.kruise.io/v1beta1/namespaces/shop/statefulsets/db")
    assert planned == (3 if mode == "handover" else 1)
    for line, owner in (
        (f"statefulset/db --mode {mode}", "kruise"),
        (f"asts/db --to statefulset --mode {mode}", "native"),
        ("asts/db --rollback", "kruise"),
    ):
        answer = desk.run(f"{line} --yes --settle 0")
        assert answer.code == 0, answer.err
        assert (world.claims(), world.owners()) == (claims, {owner})
        if "--rollback" not in line:
            word = line.split()[0]
            assert desk.run(f"{word} --status").code == 0


def test_a_handover_may_be_let_past_pods_that_were_not_ready_before(world: SetWorld, desk: Desk) -> None:
    broken = {"spec": {"containers": [{"name": "main", "image": "pg:unready"}]}}
    world.cluster.patch(POD.path(NAMESPACE, "db-0"), Patch(PatchType.STRATEGIC, broken))
    world.sandbox.run(10)
    line = "statefulset/db --mode handover --yes --settle 0 --timeout 20s"
    stopped = desk.run(line)
    assert "no progress for 20s, 0 of 2 pods moved" in stopped.err
    assert "to go on from here: " in stopped.err
    assert desk.run(f"{line} --allow-unready").code == 0
    assert world.owners() == {"kruise"}


def test_a_kept_source_is_deleted_by_cleanup(world: SetWorld, desk: Desk) -> None:
    assert desk.run("statefulset/db --mode handover --keep-source --yes --settle 0").code == 0
    assert dig(world.native, ("spec", "replicas")) == 0
    assert desk.run("cleanup statefulset/db --yes").code == 0
    assert (world.native, world.owners(), len(world.pods)) == (None, {"kruise"}, 2)


def test_without_a_manager_nothing_is_there_to_go_on_from() -> None:
    world = SetWorld(manager=False)
    answer = Desk(world).run("statefulset/db --yes")  # type: ignore[arg-type]
    assert answer.code != 0
    assert "E-NO-MANAGER" in answer.err or "no controller has looked" in answer.err
    assert "to go on from here" not in answer.err
    assert "to undo it" not in answer.err


def test_status_names_both_kinds(desk: Desk) -> None:
    desk.run("statefulset/db --yes --settle 0")
    assert "StatefulSet db → Advanced StatefulSet db" in desk.run("statefulset/db --status").out
    assert desk.run("cleanup statefulset/db").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("statefulset/db --to-name x", "--to-name x"),
        ("statefulset/db --mode surge", "two pods of a set cannot have one name"),
        ("deployment/web --mode handover", "--mode handover is about StatefulSets"),
        ("statefulset/db --mode recreate --order target-last", "--order goes with --mode adopt only"),
        ("statefulset/db --to cloneset", "can only become an asts"),
        ("statefulset/db --stage-only", "--stage-only"),
        ("deployment/web --order target-last", "--order is about StatefulSets"),
    ],
)
def test_what_sets_cannot_do_is_said(desk: Desk, line: str, said: str) -> None:
    answer = desk.run(f"{line} --yes")
    assert (answer.code, desk.writes) == (2, [])
    assert said in answer.err


def test_a_manifest_for_git(desk: Desk) -> None:
    answer = desk.run("statefulset/db --dry-run=client -o yaml")
    assert answer.code == 0
    assert "apiVersion: apps.kruise.io/v1beta1" in answer.out
    assert "Never commit the Advanced StatefulSet beside the StatefulSet" in answer.err


@pytest.mark.parametrize(
    ("first", "then", "source"),
    [
        ("statefulset/db", "asts/db --to statefulset", "statefulset/db"),
        ("asts/db --to statefulset", "statefulset/db", "asts/db"),
    ],
)
def test_one_under_way_is_gone_on_with_or_undone_from_either_side(
    desk: Desk, first: str, then: str, source: str
) -> None:
    if first.startswith("asts"):
        desk.run("statefulset/db --yes --settle 0")
        desk.run("cleanup statefulset/db --yes")
    interrupt(desk, f"{first} --yes", signal.SIGINT, pods=1)
    answer = desk.run(f"{then} --yes")
    assert (answer.code, desk.writes) == (3, [])
    assert f"a migration of {source} is under way\n" in answer.err
    assert f"  hint: kubectl kruise migrate {source} -n shop --resume, or --rollback\n" in answer.err

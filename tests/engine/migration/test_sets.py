"""What is there decides what comes next between two sets: every row of migration.md §5.2.2, and the ways back and undone."""

from typing import Any

import pytest

from kubectl_kruise.engine.migration.handover import relabel_patch, transfer_patch
from kubectl_kruise.engine.migration.marks import PodMark
from kubectl_kruise.engine.migration.ordinals import ordinal_of, replicas_for
from kubectl_kruise.engine.migration.sets import (
    Aim,
    Handing,
    Sets,
    former_owners,
    next_handing,
    same_template,
    to_move,
    to_relabel,
)
from kubectl_kruise.engine.migration.stillness import at_work, made_still, still, still_patch, work_patch
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.objects.raw import Raw, controller_reference
from kubectl_kruise.objects.retention import RETAIN

NATIVE, KRUISE = "apps/v1", "apps.kruise.io/v1beta1"
RETENTION = "persistentVolumeClaimRetentionPolicy"
DELETES = {"whenDeleted": "Delete", "whenScaled": "Retain"}
ROLLING: Raw = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
ON_DELETE: Raw = {"type": "OnDelete"}


def one(
    version: str, uid: str, *, going: bool = False, revision: str = "", observed: int = 1, **spec: Any
) -> Raw:
    """Give a set of two pods, as a controller has seen it unless `observed` is 0."""
    meta: Raw = {"name": "db", "uid": uid, "generation": 1, "resourceVersion": "7"}
    if going:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status = {"observedGeneration": observed, "updateRevision": revision}
    template = {"spec": {"containers": [{"name": "main", "image": "pg:16"}]}}
    return {
        "apiVersion": version,
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": {"replicas": 2, "template": template, **spec},
        "status": status,
    }


def native(uid: str = "s", *, strategy: Raw = ROLLING, revision: str = "db-s", **more: Any) -> Raw:
    return one(NATIVE, uid, revision=revision, updateStrategy=strategy, **more)


def asts(uid: str = "a", *, paused: bool = True, revision: str = "db-a", **more: Any) -> Raw:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "paused": paused}}
    return one(KRUISE, uid, revision=revision, updateStrategy=strategy, **more)


def pod(ordinal: int, *owners: str, revision: str = "db-s") -> Raw:
    references = [
        controller_reference(KRUISE if uid == "a" else NATIVE, "StatefulSet", "db", uid) for uid in owners
    ]
    for reference in references[1:]:
        del reference["controller"]
    labels = {"controller-revision-hash": revision}
    meta = {"name": f"db-{ordinal}", "uid": f"p{ordinal}", "labels": labels, "ownerReferences": references}
    return {"metadata": {**meta, "resourceVersion": "3"}, "status": {"phase": "Running"}}


OF_S, OF_A = (pod(0, "s"), pod(1, "s")), (pod(0, "a", revision="db-a"), pod(1, "a", revision="db-a"))
HALF, FREE = (OF_A[0], pod(1)), (pod(0), pod(1))
STALE = (OF_A[0], pod(1, "a"))
MARKS = (PodMark("db-0", "p0"), PodMark("db-1", "p1"))
THERE = Aim(STATEFULSET, "db", asts(paused=False), MARKS)
LAST = THERE._replace(last=True)
BACK = Aim(NATIVE_STATEFULSET, "db", native(), MARKS)
UNDO = BACK._replace(origin="s")


@pytest.mark.parametrize(
    ("s", "a", "pods", "step"),
    [
        pytest.param(native(persistentVolumeClaimRetentionPolicy=DELETES), None, OF_S, Handing.KEEP_CLAIMS, id="T2: S owns its claims"),
        pytest.param(native(), None, OF_S, Handing.CREATE_TARGET, id="row 1"),
        pytest.param(native(), asts(revision=""), OF_S, Handing.AWAIT_TARGET, id="row 2: nobody has looked at A"),
        pytest.param(native(), asts(observed=0), OF_S, Handing.AWAIT_TARGET, id="row 2: nor at its last change"),
        pytest.param(native(), asts(paused=False), OF_S, Handing.HOLD_TARGET, id="row 2: A was let work"),
        pytest.param(native(), asts(), OF_S, Handing.DELETE_SOURCE, id="row 2: A is known"),
        pytest.param(native(going=True), asts(), OF_S, Handing.MOVE_PODS, id="row 3"),
        pytest.param(native(going=True), asts(), HALF, Handing.MOVE_PODS, id="row 3: one is left"),
        pytest.param(native(going=True), asts(), OF_A, Handing.AWAIT_SOURCE_GONE, id="row 3: all have moved"),
        pytest.param(None, asts(), FREE, Handing.MOVE_PODS, id="row 4"),
        pytest.param(None, asts(paused=False), HALF, Handing.HOLD_TARGET, id="row 4: A was let work"),
        pytest.param(None, asts(), STALE, Handing.RELABEL, id="row 5"),
        pytest.param(None, asts(paused=False), STALE, Handing.HOLD_TARGET, id="row 5: A was let work"),
        pytest.param(None, asts(), OF_A, Handing.UNLOCK, id="T11"),
        pytest.param(None, asts(paused=False), OF_A, Handing.SETTLE, id="row 6"),
        pytest.param(None, None, FREE, Handing.CREATE_TARGET, id="row 7"),
        pytest.param(None, asts(going=True), OF_A, Handing.AWAIT_TARGET_GONE, id="somebody deletes A"),
        pytest.param(None, asts(), (), Handing.UNLOCK, id="no pods at all"),
    ],
)  # fmt: skip
def test_towards_the_set_of_kruise(
    s: Raw | None, a: Raw | None, pods: tuple[Raw, ...], step: Handing
) -> None:
    assert next_handing(Sets(s, a, pods), THERE) is step


@pytest.mark.parametrize(
    ("s", "a", "pods", "step"),
    [
        pytest.param(native(), None, OF_S, Handing.DELETE_SOURCE, id="S goes first"),
        pytest.param(native(going=True), None, FREE, Handing.AWAIT_SOURCE_GONE, id="A waits for that"),
        pytest.param(None, None, FREE, Handing.CREATE_TARGET, id="then it comes"),
        pytest.param(None, asts(), STALE, Handing.RELABEL, id="and has taken the pods itself"),
    ],
)
def test_the_target_last(s: Raw | None, a: Raw | None, pods: tuple[Raw, ...], step: Handing) -> None:
    """migration.md §5.2.1: no create fails, and none is charged to a quota."""
    assert next_handing(Sets(s, a, pods), LAST) is step


@pytest.mark.parametrize(
    ("a", "s", "pods", "step"),
    [
        pytest.param(asts(paused=False), None, OF_A, Handing.CREATE_TARGET, id="C1"),
        pytest.param(asts(paused=False), native(strategy=ON_DELETE, revision=""), OF_A, Handing.AWAIT_TARGET, id="C2"),
        pytest.param(asts(paused=False), native(strategy=ON_DELETE), OF_A, Handing.DELETE_SOURCE, id="C3"),
        pytest.param(asts(paused=False), native(), OF_A, Handing.HOLD_TARGET, id="S was made by somebody else"),
        pytest.param(asts(going=True), native(strategy=ON_DELETE), OF_A, Handing.MOVE_PODS, id="C4"),
        pytest.param(None, native(strategy=ON_DELETE), (pod(0, "s"), pod(1, "s", revision="db-a")), Handing.RELABEL, id="C5"),
        pytest.param(None, native(strategy=ON_DELETE), OF_S, Handing.UNLOCK, id="C6"),
        pytest.param(None, native(), OF_S, Handing.SETTLE, id="C7"),
    ],
)  # fmt: skip
def test_towards_the_native_set(a: Raw | None, s: Raw | None, pods: tuple[Raw, ...], step: Handing) -> None:
    assert next_handing(Sets(a, s, pods), BACK) is step


@pytest.mark.parametrize(
    ("a", "s", "pods", "step"),
    [
        pytest.param(asts(), native(), OF_S, Handing.DELETE_SOURCE, id="S never lost its pods: A goes"),
        pytest.param(asts(going=True), native(), OF_S, Handing.AWAIT_SOURCE_GONE, id="A is going"),
        pytest.param(None, native(), OF_S, Handing.SETTLE, id="nothing is left to undo"),
        pytest.param(asts(), native(going=True), OF_S, Handing.AWAIT_TARGET_GONE, id="S is going: its name is needed"),
        pytest.param(asts(), None, FREE, Handing.CREATE_TARGET, id="S is gone"),
        pytest.param(asts(), native("s2", strategy=ON_DELETE), OF_A, Handing.DELETE_SOURCE, id="S is there again"),
    ],
)  # fmt: skip
def test_undone(a: Raw | None, s: Raw | None, pods: tuple[Raw, ...], step: Handing) -> None:
    """migration.md §5.2.3."""
    assert next_handing(Sets(a, s, pods), UNDO) is step


def test_a_set_that_never_lost_its_pods_gets_its_claims_back() -> None:
    wanted = UNDO._replace(wanted=native(persistentVolumeClaimRetentionPolicy=DELETES))
    assert next_handing(Sets(None, native(), OF_S), wanted) is Handing.UNLOCK


@pytest.mark.parametrize(
    ("pods", "moved"),
    [
        pytest.param(OF_S, ["p0", "p1"], id="pods of S"),
        pytest.param(HALF, ["p1"], id="one without owner"),
        pytest.param((pod(0, "a", "s"),), ["p0"], id="one that names S besides"),
        pytest.param((pod(7),), ["p7"], id="one that was made meanwhile: A would take it too"),
        pytest.param(({**pod(8), "metadata": {**pod(8)["metadata"], "name": "other-8"}},), [], id="one of another name"),
        pytest.param(OF_A, [], id="pods of A"),
    ],
)  # fmt: skip
def test_pods_that_go_over(pods: tuple[Raw, ...], moved: list[str]) -> None:
    assert [
        each["metadata"]["uid"] for each in to_move(Sets(native(going=True), asts(), pods), THERE)
    ] == moved


def test_pods_of_another_revision_are_told_by_the_whole_name() -> None:
    """migration.md §2.2 A5: the hash alone does not do."""
    pods = (OF_A[0], pod(1, "a", revision="a"))
    assert [each["metadata"]["uid"] for each in to_relabel(Sets(None, asts(), pods))] == ["p1"]


def test_former_owners_are_sets_of_the_same_name() -> None:
    assert former_owners(pod(0, "a", "s"), "db", "a") == ["s"]
    assert former_owners(pod(0, "x"), "other", "a") == []


@pytest.mark.parametrize(
    ("kind", "manifest"), [(NATIVE_STATEFULSET, native()), (STATEFULSET, asts(paused=False))]
)
def test_a_set_is_held_and_let_work(kind: Kind, manifest: Raw) -> None:
    wanted = {**manifest, "spec": {**manifest["spec"], RETENTION: DELETES}}
    held = made_still(wanted, kind)
    assert (still(held, kind), at_work(held, wanted, kind)) == (True, False)
    assert held["spec"][RETENTION] == RETAIN
    assert (still(wanted, kind), at_work(wanted, wanted, kind)) == (False, True)
    assert work_patch(held, wanted, kind)["spec"][RETENTION] == DELETES
    assert still_patch(wanted, kind)["spec"][RETENTION] == RETAIN


def test_the_patches_that_let_work_are_the_smallest() -> None:
    """migration.md §5.2.1 T12, §5.2.3."""
    assert work_patch(asts(), asts(paused=False), STATEFULSET) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {RETENTION: RETAIN, "updateStrategy": {"rollingUpdate": {"paused": False}}},
    }
    assert (
        work_patch(native(strategy=ON_DELETE), native(), NATIVE_STATEFULSET)["spec"]["updateStrategy"]
        == ROLLING
    )
    assert still_patch(native(), NATIVE_STATEFULSET)["spec"]["updateStrategy"] == {
        "type": "OnDelete", "rollingUpdate": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "kind", "ordinals", "replicas"),
    [
        pytest.param({}, STATEFULSET, (0, 1, 2), 3, id="from zero"),
        pytest.param({"reserveOrdinals": [0, 1]}, STATEFULSET, (2, 3), 2, id="migration.md §2.2 A10: reserved"),
        pytest.param({"reserveOrdinals": ["0-4"]}, STATEFULSET, (5, 7), 3, id="a range"),
        pytest.param({"reserveOrdinals": [1]}, STATEFULSET, (1,), None, id="no place for one"),
        pytest.param({"ordinals": {"start": 5}}, NATIVE_STATEFULSET, (5, 6), 2, id="a start"),
        pytest.param({"ordinals": {"start": 5}}, NATIVE_STATEFULSET, (4,), None, id="before the start"),
        pytest.param({}, NATIVE_STATEFULSET, (), 0, id="no pods"),
    ],
)  # fmt: skip
def test_room_for_every_pod(spec: Raw, kind: Kind, ordinals: tuple[int, ...], replicas: int | None) -> None:
    """migration.md §2.2 A4: pods without a place are deleted, paused or not."""
    assert replicas_for(one(KRUISE, "a", **spec), kind, [pod(each) for each in ordinals]) == replicas


def test_ordinals_are_those_of_the_set() -> None:
    assert ordinal_of(pod(12), "db") == 12
    assert ordinal_of(pod(12), "d") == -1


def test_what_a_server_adds_is_no_other_template() -> None:
    live = asts()
    live["spec"]["template"] = {
        "metadata": {"creationTimestamp": None},
        "spec": {"containers": [{"name": "main", "image": "pg:16", "resources": {}}]},
    }
    assert same_template(live, asts())
    live["spec"]["template"]["spec"]["containers"][0]["image"] = "pg:17"
    assert not same_template(live, asts())


def test_a_pod_gets_its_label_only_where_it_is_another_one() -> None:
    """migration.md §11.3 rows 50 and 51."""
    moved = transfer_patch(pod(0, "s"), ["s"], asts(), "db-a")
    assert moved["metadata"]["labels"] == {"controller-revision-hash": "db-a"}
    assert moved["metadata"]["ownerReferences"][0] == {"$patch": "delete", "uid": "s"}
    assert "labels" not in transfer_patch(pod(0, "s"), ["s"], asts(), "db-s")["metadata"]
    assert "labels" not in transfer_patch(pod(0, "s"), ["s"], asts(), "")["metadata"]
    unblocked = transfer_patch(pod(0), [], asts(), "db-a", block=False)
    assert "blockOwnerDeletion" not in unblocked["metadata"]["ownerReferences"][-1]
    assert relabel_patch(pod(0), "db-a")["metadata"]["resourceVersion"] == "3"

"""What is there decides what comes next: every row of the tables of migration.md §5.1.2 and §5.1.3."""

import pytest

from kubectl_kruise.engine.migration.marks import PodMark
from kubectl_kruise.engine.migration.situation import (
    Adopting,
    Heirs,
    Releasing,
    Situation,
    crowded,
    next_adopting,
    next_releasing,
    to_move,
    to_release,
)
from kubectl_kruise.objects.raw import Raw
from tests.engine.migration.objects import HASH, cloneset, deployment, pod, replicaset

UNKNOWN = Heirs(old="r", template_hash=HASH)
HEIRS = Heirs((PodMark("web-p1", "p1"), PodMark("web-p2", "p2")), "r", HASH)
OF_R = (pod("p1", "r"), pod("p2", "r"))
OF_C = (pod("p1", "c", template_hash="557f55d569"), pod("p2", "c", template_hash="557f55d569"))
HALF = (OF_C[0], pod("p2"))
FREE = (pod("p1"), pod("p2"))


@pytest.mark.parametrize(
    ("d", "r", "c", "pods", "heirs", "step"),
    [
        pytest.param(deployment(), replicaset("d"), None, OF_R, UNKNOWN, Adopting.CREATE_TARGET, id="row 1"),
        pytest.param(
            deployment(), replicaset("d"), cloneset(revision=""), OF_R, UNKNOWN, Adopting.AWAIT_TARGET,
            id="row 2: nobody has looked at the target yet",
        ),
        pytest.param(
            deployment(), replicaset("d"), cloneset(observed=0), OF_R, UNKNOWN, Adopting.AWAIT_TARGET,
            id="row 2: nor at its last change",
        ),
        pytest.param(
            deployment(), replicaset("d"), cloneset(), OF_R, UNKNOWN, Adopting.DELETE_DEPLOYMENT,
            id="row 2: the target is known",
        ),
        pytest.param(
            deployment(), replicaset("d"), cloneset(lock=False), OF_R, UNKNOWN, Adopting.RELOCK,
            id="row 2: somebody has unlocked the target",
        ),
        pytest.param(
            deployment(going=True), replicaset("d"), cloneset(), OF_R, HEIRS, Adopting.AWAIT_DEPLOYMENT_GONE,
            id="row 3",
        ),
        pytest.param(None, replicaset(), cloneset(), OF_R, HEIRS, Adopting.DELETE_REPLICASET, id="row 4"),
        pytest.param(None, replicaset(), cloneset(lock=False), OF_R, HEIRS, Adopting.RELOCK, id="row 4, unlocked"),
        pytest.param(None, replicaset(), None, OF_R, HEIRS, Adopting.CREATE_TARGET, id="row 5"),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(), FREE, HEIRS, Adopting.MOVE_PODS,
            id="row 6: held, all pods without owner",
        ),
        pytest.param(None, replicaset(going=True), cloneset(), OF_R, HEIRS, Adopting.MOVE_PODS, id="row 6: naming R"),
        pytest.param(None, None, cloneset(), HALF, HEIRS, Adopting.MOVE_PODS, id="row 6: R gone, one left"),
        pytest.param(
            None, None, cloneset(lock=False), HALF, HEIRS, Adopting.RELOCK, id="row 6: unlocked meanwhile"
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(), OF_C, HEIRS, Adopting.AWAIT_REPLICASET_GONE,
            id="row 7",
        ),
        pytest.param(None, None, cloneset(), OF_C, HEIRS, Adopting.UNLOCK, id="row 8"),
        pytest.param(None, None, cloneset(lock=False), OF_C, HEIRS, Adopting.SETTLE, id="row 9"),
        pytest.param(
            None, replicaset(going=True, hold=True), None, FREE, HEIRS, Adopting.CREATE_TARGET,
            id="row 10: the target is gone, R is going",
        ),
        pytest.param(None, None, None, FREE, HEIRS, Adopting.CREATE_TARGET, id="row 10: R is gone, too"),
        pytest.param(None, None, cloneset(), (), HEIRS, Adopting.UNLOCK, id="every pod was deleted by others"),
        pytest.param(deployment(), None, cloneset(), (), Heirs(), Adopting.DELETE_DEPLOYMENT, id="a source without pods"),
    ],
)  # fmt: skip
def test_towards_a_cloneset(
    d: Raw | None, r: Raw | None, c: Raw | None, pods: tuple[Raw, ...], heirs: Heirs, step: Adopting
) -> None:
    assert next_adopting(Situation(d, r, c, pods), heirs) is step


@pytest.mark.parametrize(
    ("d", "r", "c", "pods", "step"),
    [
        pytest.param(
            deployment(), replicaset("d"), cloneset(), OF_R, Releasing.DELETE_CLONESET, id="undo of D3 to D5"
        ),
        pytest.param(deployment(), replicaset("d"), None, OF_R, Releasing.DONE, id="undone before there was a target"),
        pytest.param(
            deployment(going=True), replicaset("d"), cloneset(), OF_R, Releasing.AWAIT_DEPLOYMENT_GONE,
            id="U-A: D6 was asked for, D is still there",
        ),
        pytest.param(None, replicaset(), cloneset(), OF_R, Releasing.CREATE_DEPLOYMENT, id="U-A: R is alone"),
        pytest.param(
            None, replicaset(hold=True), cloneset(), OF_R, Releasing.DROP_HOLD, id="U-A: R is held, not yet deleted"
        ),
        pytest.param(
            deployment(updated=0), replicaset(), cloneset(), OF_R, Releasing.AWAIT_DEPLOYMENT_OWNS,
            id="U-A: the new D has not taken R",
        ),
        pytest.param(
            deployment(updated=1), replicaset("d"), cloneset(), OF_R, Releasing.AWAIT_DEPLOYMENT_OWNS,
            id="U-A: the new D does not count its pods as of its template",
        ),
        pytest.param(
            deployment(paused=True), replicaset("d"), cloneset(), OF_R, Releasing.UNPAUSE, id="U-A: D may work"
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(lock=False), HALF, Releasing.LOCK,
            id="U-B: in the middle of D9, the target is not locked",
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(observed=0), HALF, Releasing.AWAIT_LOCK,
            id="U-B: nobody has seen the lock",
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(), HALF, Releasing.RELEASE_PODS,
            id="U-B: one pod with C, one without owner",
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(), OF_R, Releasing.RELEASE_PODS,
            id="U-B: pods still name R, which is going",
        ),
        pytest.param(
            None, replicaset(going=True, hold=True), cloneset(), FREE, Releasing.DROP_HOLD,
            id="U-B, row 66: old R stands in deletion with hold",
        ),
        pytest.param(
            None, replicaset(going=True), cloneset(), FREE, Releasing.AWAIT_REPLICASET_GONE,
            id="U-B, row 66: its name is needed",
        ),
        pytest.param(None, None, cloneset(), FREE, Releasing.CREATE_REPLICASET, id="U-B: R may be made again"),
        pytest.param(None, None, None, FREE, Releasing.CREATE_REPLICASET, id="U-B: C is gone already"),
        pytest.param(None, replicaset(), cloneset(), FREE, Releasing.AWAIT_PODS_OWNED, id="U-B: R has not taken them"),
        pytest.param(
            None, None, cloneset(going=True), OF_C, Releasing.RELEASE_PODS, id="somebody deletes C: it needs no lock"
        ),
    ],
)  # fmt: skip
def test_towards_a_deployment(
    d: Raw | None, r: Raw | None, c: Raw | None, pods: tuple[Raw, ...], step: Releasing
) -> None:
    assert next_releasing(Situation(d, r, c, pods), HASH, paused=False) is step


def test_a_source_that_was_paused_stays_paused() -> None:
    now = Situation(deployment(paused=True), replicaset("d"), cloneset(), OF_R)

    assert next_releasing(now, HASH, paused=True) is Releasing.DELETE_CLONESET


@pytest.mark.parametrize(
    ("pods", "moved"),
    [
        pytest.param(OF_R, ["p1", "p2"], id="pods of R"),
        pytest.param(HALF, ["p2"], id="one that is left"),
        pytest.param((pod("p1", "c", "r"),), ["p1"], id="one that names R besides"),
        pytest.param((pod("p3", "r"),), ["p3"], id="one that R made after the snapshot"),
        pytest.param((pod("p3"),), ["p3"], id="the same, already let go"),
        pytest.param((pod("p3", template_hash="other"),), [], id="one without owner that never was R's"),
        pytest.param((pod("p3", "x"),), [], id="one of somebody else"),
        pytest.param((pod("p1", "x"),), ["p1"], id="one of the snapshot that somebody has taken: the server decides"),
        pytest.param(
            ({**OF_R[0], "metadata": {**OF_R[0]["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}},),
            [],
            id="one on its way out",
        ),
    ],
)  # fmt: skip
def test_pods_that_go_over(pods: tuple[Raw, ...], moved: list[str]) -> None:
    now = Situation(None, replicaset(going=True), cloneset(), pods)

    assert [each["metadata"]["uid"] for each in to_move(now, HEIRS)] == moved


@pytest.mark.parametrize(
    ("r", "pods", "released"),
    [
        pytest.param(None, OF_C, ["p1", "p2"], id="pods of C"),
        pytest.param(replicaset(), OF_R, [], id="pods of R that lives"),
        pytest.param(replicaset(going=True), OF_R, ["p1", "p2"], id="pods of R that goes"),
        pytest.param(None, FREE, [], id="pods that only wait for R"),
        pytest.param(None, (pod("p1", template_hash="557f55d569"),), ["p1"], id="one that R would not take"),
        pytest.param(None, (pod("p1", "x"),), [], id="one of somebody else"),
    ],
)
def test_pods_that_are_released(r: Raw | None, pods: tuple[Raw, ...], released: list[str]) -> None:
    now = Situation(None, r, cloneset(), pods)

    assert [each["metadata"]["uid"] for each in to_release(now, HASH)] == released


@pytest.mark.parametrize(
    ("d", "r", "pods", "says"),
    [
        pytest.param(None, None, OF_C, False, id="no Deployment"),
        pytest.param(deployment(going=True), None, OF_C, False, id="one on its way out"),
        pytest.param(deployment(), None, OF_C, True, id="made while C has the pods"),
        pytest.param(deployment(), replicaset("d", uid="r2"), OF_C, True, id="with a ReplicaSet and pods of its own"),
        pytest.param(deployment(), replicaset(going=True), FREE, True, id="made while nobody has the pods"),
        pytest.param(deployment(), replicaset("d"), OF_R, False, id="it has R, and R has the pods"),
    ],
)  # fmt: skip
def test_a_deployment_that_others_made(
    d: Raw | None, r: Raw | None, pods: tuple[Raw, ...], says: bool
) -> None:
    assert crowded(Situation(d, r, cloneset(), pods), HASH) is says

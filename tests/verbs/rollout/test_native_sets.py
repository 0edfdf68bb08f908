"""Our commands on native StatefulSets, whose controller and kubelet are simulated (rollout-operations.md §9)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.controllers.loop import Stepper
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, POD
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.verbs.conftest import Shell

PATH = NATIVE_STATEFULSET.path("shop", "web")


class Land:
    """A namespace with one StatefulSet of three pods."""

    def __init__(self) -> None:
        self.shell = Shell()
        controllers = build(self.shell.admin, self.shell.clock, RECORDED, kruise=False)
        self._stepper = Stepper(controllers, self.shell.clock)
        self.shell.stateful_set(replicas=3)
        self.pass_time()

    def pass_time(self, seconds: float = 20) -> None:
        self._stepper.run(seconds)

    def change(self, **spec: Any) -> None:
        self.shell.admin.patch(PATH, Patch(PatchType.MERGE, {"spec": spec}))
        self.pass_time(1)

    def says(self, line: str, code: int, *texts: str) -> None:
        """Run a line; each text has to be somewhere in what it printed."""
        given = self.shell.run(line.split())
        assert (given[0], [text for text in texts if text not in given[1] + given[2]]) == (code, []), given


@pytest.fixture
def land() -> Land:
    return Land()


def test_an_update_is_followed_and_taken_back(land: Land) -> None:
    land.says("set image sts/web app=shop/web:2", 0, "recreates the pods (update type RollingUpdate)")
    land.says("rollout status sts/web --watch=false", 0, "generation 2 not observed yet")
    land.pass_time(2)
    land.says("rollout status sts/web --watch=false", 0, "progressing: 1 of 3 pods updated", "1 terminating")
    land.says("tree sts/web", 0, "revision 2", " update ", "revision 1", " current ", "Pod web-2")
    land.pass_time()
    land.says("rollout status sts/web --watch=false", 0, "done: 3 of 3 available")
    land.says("rollout history sts/web", 0, "3   update, current   app 1 -> 2", "0                     first")
    land.says("rollout undo sts/web", 0, "statefulset.apps/web rolled back to revision 1")
    land.pass_time()
    land.says("rollout history sts/web", 0, "3     web-", "3   update, current   app 2 -> 1")
    land.says("rollout history sts/web -o name", 0, "controllerrevision.apps/web-")


def test_it_is_restarted_and_scaled(land: Land) -> None:
    land.says("rollout restart sts/web", 0, "statefulset.apps/web restarted")
    land.pass_time()
    land.says("rollout status sts/web", 0, "done updated=3/3 available=3")
    land.says("scale sts/web --replicas 1", 0, "replicas 3 → 1")
    land.pass_time()
    land.says("rollout status sts/web", 0, "done updated=1/1 available=1")


def test_a_partition_stays_when_its_canary_is_taken_back(land: Land) -> None:
    land.change(updateStrategy={"rollingUpdate": {"partition": 2}})
    land.says(
        "set image sts/web app=shop/web:2",
        0,
        "1 of 3 pods change (web-2), 2 stay (web-0, web-1; partition 2)",
    )
    land.pass_time()
    land.says("rollout status sts/web", 0, "done updated=1/1 available=1 held=2")
    land.says("rollout undo sts/web", 0, "rolled back to revision 1")
    land.pass_time()

    assert land.shell.admin.get(PATH)["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 2
    land.says("rollout status sts/web", 0, "done updated=3/3 available=3")


def test_a_broken_pod_of_an_ordered_set_stands_in_the_way_of_its_own_correction(land: Land) -> None:
    land.says("set image sts/web app=bad:2", 0)
    land.pass_time()
    land.says(
        "rollout status sts/web --watch=false -o json",
        0,
        '"kubectl kruise rollout undo statefulset/web -n shop"',
    )
    unwell = "OrderedReady changes nothing until it is, or is deleted by hand"
    land.says("rollout undo sts/web", 0, f"1 pod is not ready: {unwell}")
    land.pass_time()
    land.says("rollout status sts/web --watch=false", 0, "2 of 3 pods updated; 1 old pod is not available")
    land.shell.admin.delete(POD.path("shop", "web-2"))
    land.pass_time()
    land.says("rollout status sts/web", 0, "done updated=3/3 available=3")


def test_without_updates_of_its_own_nothing_is_waited_for(land: Land) -> None:
    land.change(updateStrategy={"type": "OnDelete", "rollingUpdate": None})
    land.says(
        "set image sts/web app=shop/web:2",
        0,
        "replaces no pod: each gets the new template when it is deleted",
    )
    land.pass_time()
    land.says("rollout status sts/web", 8, "3 pods old until deleted (update type OnDelete)")
    land.says("rollout restart sts/web", 3, "a new template restarts nothing", "pods one after the other\n")


@pytest.mark.parametrize(
    "line",
    [
        "rollout pause sts/web",
        "rollout resume sts/web",
        "rollout partition sts/web 1",
        "scale sts/web --delete-pod web-0",
    ],
)
def test_what_the_kind_has_not_is_refused(land: Land, line: str) -> None:
    land.says(
        line,
        2,
        "this command does not work on statefulset.apps",
        "it works on Advanced StatefulSets: kubectl kruise migrate statefulset/web -n shop",
    )


def test_claims_that_go_with_their_pods_are_warned_about(land: Land) -> None:
    live = land.shell.admin.get(PATH)
    land.shell.admin.delete(PATH)
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    land.shell.stateful_set(
        replicas=live["spec"]["replicas"],
        persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete"},
        volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": claim}],
    )
    land.says(
        "scale sts/web --replicas 1 --dry-run",
        0,
        "the volume claims of the pods that go are deleted with them",
    )

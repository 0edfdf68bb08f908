"""Our commands on Advanced StatefulSets, with their controller and simulated nodes (rollout-operations.md §4, §11, §12)."""

from typing import Any

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.controllers import statefulset
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Stepper
from kubectl_kruise.controllers.recreation import Recreations
from kubectl_kruise.controllers.upkeep import upkeep_of_pods
from kubectl_kruise.facts.kinds import POD, STATEFULSET
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.sandbox.simulation import DEFAULT, RECORDED, Profile, build
from tests.verbs.conftest import Shell

PATH = STATEFULSET.path("shop", "web")
GATE = [{"conditionType": "InPlaceUpdateReady"}]


class Land:
    """A namespace with one set of five pods, in parallel and updated in place unless `rolling` or `spec` says otherwise."""

    def __init__(
        self, rolling: dict[str, Any] | None = None, *, profile: Profile = RECORDED, **spec: Any
    ) -> None:
        self.shell = Shell()
        admin, clock = self.shell.admin, self.shell.clock
        pods = Informer(admin, POD.path())
        kruise = [statefulset.build(admin, clock, pods=pods), *upkeep_of_pods(admin, clock, pods)]
        kruise.append(Recreations(admin, clock, pods))
        self._stepper = Stepper([*build(admin, clock, profile), *kruise], clock)
        labels = {"app": "web"}
        inner = {"readinessGates": GATE, "containers": [{"name": "app", "image": "shop/web:1"}]}
        strategy = {
            "type": "RollingUpdate",
            "rollingUpdate": {"podUpdatePolicy": "InPlaceIfPossible", **(rolling or {})},
        }
        body = {
            "apiVersion": "apps.kruise.io/v1beta1",
            "kind": "StatefulSet",
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 5,
                "serviceName": "web",
                "podManagementPolicy": "Parallel",
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": inner},
                "updateStrategy": strategy,
                **spec,
            },
        }
        admin.create(STATEFULSET.path("shop"), body)
        self.pass_time()

    def pass_time(self, seconds: float = 20) -> None:
        self._stepper.run(seconds)

    def move_on(self) -> None:
        """Let two seconds pass with every request, for commands that carry something out to its end."""
        self.shell.transport.before = lambda _: self.pass_time(2)

    def lives(self) -> dict[str, tuple[str, int]]:
        """Give uid and restarts of each pod by its name."""
        listed = self.shell.admin.list(POD.path("shop"))["items"]
        return {
            pod["metadata"]["name"]: (pod["metadata"]["uid"], statuses_of(pod)["app"]["restartCount"])
            for pod in listed
        }

    def change(self, **spec: Any) -> None:
        self.shell.admin.patch(PATH, Patch(PatchType.MERGE, {"spec": spec}))

    def says(self, line: str, code: int, *texts: str) -> None:
        """Run a line; each text has to be somewhere in what it printed."""
        given = self.shell.run(line.split())
        assert (given[0], [text for text in texts if text not in given[1] + given[2]]) == (code, []), given

    def pods(self) -> dict[str, str]:
        """Give the image of each pod by its name."""
        listed = self.shell.admin.list(POD.path("shop"))["items"]
        return {pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"] for pod in listed}


def test_an_update_in_place_is_followed_and_taken_back() -> None:
    land = Land({"maxUnavailable": 2})
    land.says("set image asts/web app=shop/web:2", 0, "updates in place: the containers restart, pods keep")
    land.says("rollout status asts/web --watch=false", 0, "generation 2 not observed yet")
    land.pass_time(1)
    land.says(
        "rollout status asts/web --watch=false -o json",
        0,
        '"maxUnavailable": {',
        '"phase": "restarting"',
        "progressing",
    )
    land.pass_time()
    land.says("rollout status asts/web", 0, "asts/web done updated=5/5 available=5")
    land.says("rollout history asts/web", 0, "Advanced StatefulSet shop/web", "update, current   app 1 -> 2")
    land.says("rollout undo asts/web --dry-run", 0, "~ Advanced StatefulSet web", "update in place")
    assert set(land.pods().values()) == {"shop/web:2"}
    land.says("rollout undo asts/web", 0, "statefulset.apps.kruise.io/web rolled back to revision 1")
    land.pass_time(30)
    land.says("rollout status asts/web --until done", 0, "done updated=5/5 available=5")
    assert set(land.pods().values()) == {"shop/web:1"}


def test_a_partition_names_the_pods_and_stays_when_its_canary_is_taken_back() -> None:
    land = Land()
    land.says(
        "rollout partition asts/web 60%",
        0,
        "partition 0 → 3:",
        "updates web-4, web-3; keeps web-0, web-1, web-2",
    )
    land.says(
        "set image asts/web app=shop/web:2",
        0,
        "2 of 5 pods change (web-4, web-3), 3 stay (web-0, web-1, web-2; partition 3)",
    )
    land.pass_time(30)
    land.says("rollout status asts/web", 0, "done updated=2/2 available=2 held=3")
    land.says("rollout status asts/web --watch=false", 0, "3 held by partition 3 (web-0, web-1, web-2)")
    land.says("rollout status asts/web --until done", 8, "held updated=2/2")
    land.says("get asts", 0, "asts  done    5/5    2 (3 held)  web:2")
    land.says("tree asts/web", 0, "asts web ", "3 pods, 3 available (3 held by partition)")
    land.says("rollout partition asts/web --by -2", 0, "partition 3 → 1:", "keeps web-0")
    land.pass_time(30)
    land.says("rollout status asts/web", 0, "done updated=4/4 available=4 held=1")
    land.says("rollout undo asts/web", 0, "rolled back to revision 1")
    land.pass_time(60)

    assert land.shell.admin.get(PATH)["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 1
    land.says("rollout status asts/web", 0, "done updated=5/5 available=5")


def test_a_raised_partition_is_cleared_by_an_undo_that_it_would_hold_back() -> None:
    land = Land({"maxUnavailable": 5})
    land.says("set image asts/web app=shop/web:2", 0)
    land.pass_time(0.5)
    land.says("rollout partition asts/web 4", 0, "raising the partition does not roll updated pods back")
    land.pass_time()
    land.says("rollout undo asts/web", 0, "partition 4 → 0")
    land.pass_time(30)
    assert set(land.pods().values()) == {"shop/web:1"}


def test_a_rollout_is_paused_and_resumed() -> None:
    land = Land()
    land.says("set image asts/web app=shop/web:2", 0)
    land.says("rollout pause asts/web", 0, "statefulset.apps.kruise.io/web paused")
    land.says("rollout pause asts/web", 0, "web unchanged")
    land.pass_time()
    land.says("rollout status asts/web", 8, "paused with 0 of 5 pods updated")
    land.says("get asts", 0, "asts  paused")
    land.says("rollout restart asts/web", 3, "it is paused")
    land.says("rollout undo asts/web", 3, "add --resume to let it go on")
    land.says("rollout resume asts/web", 0, "web resumed")
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=5/5")


def test_on_delete_has_a_rule_of_its_own() -> None:  # fault B9e
    land = Land()
    land.change(updateStrategy={"type": "OnDelete", "rollingUpdate": None})
    land.pass_time()
    land.says(
        "set image asts/web app=shop/web:2",
        0,
        "replaces no pod: each gets the new template when it is deleted",
    )
    land.pass_time()
    land.says("rollout status asts/web", 8, "5 pods old until deleted (update type OnDelete)")
    land.says("get asts", 0, "asts  held")
    for line in ("rollout pause asts/web", "rollout resume asts/web", "rollout partition asts/web 2"):
        land.says(line, 2, "has update type OnDelete")
    land.says("rollout restart asts/web", 3, "a new template restarts nothing", "or let --in-place restart")
    land.says("scale asts/web --delete-pod 1 --replace", 3, "kubectl delete pod web-1 -n shop")
    land.says(
        "rollout restart asts/web --in-place --dry-run",
        0,
        "restarts all containers of 5 pods in place, 1 at a time",
    )
    for name in land.pods():
        land.shell.admin.delete(POD.path("shop", name))
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=5/5 available=5")


def test_chosen_pods_go_and_the_others_keep_their_names() -> None:
    land = Land()
    land.says(
        "scale asts/web --delete-pod web-1,4",
        0,
        "deletes web-1, web-4: replicas 5 → 3",
        "reserves ordinal 1:",
    )
    land.says("scale asts/web --delete-pod 1", 0, "web unchanged", "going already: web-1")
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=3/3 available=3")
    assert sorted(land.pods()) == ["web-0", "web-2", "web-3"]
    land.says("scale asts/web --replicas 4", 0, "makes web-4", "stay reserved, and are skipped: ordinals 1")
    land.pass_time()
    assert sorted(land.pods()) == ["web-0", "web-2", "web-3", "web-4"]
    uid = land.shell.admin.get(POD.path("shop", "web-2"))["metadata"]["uid"]
    land.says(
        "scale asts/web --delete-pod 2 --replace",
        0,
        "pod/web-2 marked for replacement",
        "a pod of the same name",
    )
    land.pass_time(60)
    assert land.shell.admin.get(POD.path("shop", "web-2"))["metadata"]["uid"] != uid
    land.says("scaledown asts/web --pods web-0 --dry-run", 0, "reserves ordinal 0:")
    land.says(
        "scale asts/web --delete-pod web-7",
        4,
        "has no place for web-7",
        "its pods are web-0, web-2, web-3, web-4",
    )


def test_restarts_where_pods_are_recreated_change_the_template() -> None:  # rollout-operations.md §11
    land = Land({"podUpdatePolicy": "ReCreate", "maxUnavailable": "100%"})
    land.says("rollout restart asts/web", 0, "statefulset.apps.kruise.io/web restarted")
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=5/5 available=5")
    land.says("rollout history asts/web", 0, "update, current   restarted")


def test_an_ordered_set_is_told_what_stands_in_its_way() -> None:  # advanced-statefulset.md §12.3 [P-25]
    land = Land({"podUpdatePolicy": "ReCreate"}, podManagementPolicy="OrderedReady")
    land.pass_time(60)
    land.says("set image asts/web app=bad:2", 0)
    land.pass_time(60)
    land.says(
        "rollout status asts/web --watch=false -o json", 0, '"kubectl kruise rollout pause asts/web -n shop"'
    )
    land.says("rollout undo asts/web", 0, "1 pod is not ready: OrderedReady changes nothing until it is")
    land.pass_time(60)
    land.says(
        "rollout status asts/web --watch=false",
        0,
        "1 old pod is not available: OrderedReady goes on when it is",
    )
    land.shell.admin.delete(POD.path("shop", "web-4"))
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=5/5 available=5")


@pytest.mark.parametrize(
    "line",
    [
        "get statefulsets.v1alpha1.apps.kruise.io/web",
        "rollout status statefulsets.v1alpha1.apps.kruise.io/web",
    ],
)
def test_the_old_version_is_read_in_the_new_one_with_a_warning(line: str) -> None:
    Land().says(line, 0, "is named in v1alpha1, which hides some of its fields")


def test_where_updates_are_in_place_pods_are_replaced_under_their_names() -> (
    None
):  # rollout-operations.md §11
    land = Land({"maxUnavailable": 2})
    before, template = land.lives(), land.shell.admin.get(PATH)["spec"]["template"]
    land.move_on()
    land.says("rollout restart asts/web --timeout 5m", 0, "replaces 5 pods, 2 at a time", "web restarted")
    after = land.lives()
    assert sorted(after) == sorted(before)
    assert not {uid for uid, _ in after.values()} & {uid for uid, _ in before.values()}
    assert land.shell.admin.get(PATH)["spec"]["template"] == template


def test_containers_restart_in_place() -> None:  # rollout-operations.md §11
    land = Land({"maxUnavailable": 2, "partition": 3}, profile=DEFAULT)
    land.says("set image asts/web app=shop/web:2", 0)
    land.pass_time(60)
    before = land.lives()
    land.move_on()
    land.says(
        "rollout restart asts/web --in-place --timeout 5m",
        0,
        "restarts all containers of 5 pods in place, 2 at a time",
    )
    assert land.lives() == {name: (uid, restarts + 1) for name, (uid, restarts) in before.items()}


def test_a_broken_pod_that_starves_a_parallel_rollout_is_named() -> None:  # advanced-statefulset.md §22 no. 1
    land = Land()
    land.says("set image asts/web app=bad:2", 0)
    land.pass_time(30)
    waits = "pod web-3 waits: at most 1 may be unavailable, web-4 is"
    land.says("rollout status asts/web --watch=false", 0, waits, "web-4 app ImagePullBackOff")
    land.says("rollout status asts/web --watch=false -o json", 0, f'"heldBy": "{waits}"')
    land.says("rollout status asts/web --timeout 40s", 1, "failed reason=")
    land.says("rollout status asts/web --timeout 20s --fail-fast=false", 124, f'held-by="{waits}"')


def test_a_rollout_that_waits_for_its_hook_says_so() -> None:  # advanced-statefulset.md §15.1
    labels = {"app": "web", "drain": "true"}
    inner = {"readinessGates": GATE, "containers": [{"name": "app", "image": "shop/web:1"}]}
    hook = {"inPlaceUpdate": {"labelsHandler": {"drain": "true"}}}
    land = Land(lifecycle=hook, template={"metadata": {"labels": labels}, "spec": inner})
    land.says("set image asts/web app=shop/web:2", 0)
    land.pass_time(30)
    land.says(
        "rollout status asts/web --watch=false",
        0,
        "1 hook",
        "pod web-4: the inPlaceUpdate hook is not released",
    )
    land.says("get asts", 0, "progressing 0/5, 1 held by hooks")


def test_a_revision_that_is_superseded_ends_the_wait() -> None:  # fault B9a
    land = Land()
    land.says("set image asts/web app=shop/web:2", 0)
    land.pass_time(60)
    land.says("rollout status asts/web --revision 2", 0, "done")
    land.says("rollout status asts/web --revision 99", 6, "revision 99 is not what is rolled out")


def test_an_undo_restores_exactly_what_was() -> None:  # faults B10, B10a, B11
    land = Land({"podUpdatePolicy": "ReCreate", "maxUnavailable": "100%"})
    first = land.shell.admin.get(PATH)["status"]["updateRevision"]
    land.change(template={"spec": {"nodeSelector": {"disk": "ssd"}, "priorityClassName": ""}})
    land.pass_time(5)
    land.says("rollout undo asts/web --dry-run=client", 0, "template: revision 2", "recreates the pods")
    land.says("rollout undo asts/web", 0, "rolled back to revision 1")
    land.pass_time(60)
    live = land.shell.admin.get(PATH)
    assert "nodeSelector" not in live["spec"]["template"]["spec"]
    assert "$patch" not in live["spec"]["template"]
    assert live["status"]["updateRevision"] == first
    land.says("rollout undo asts/web --to-revision 3", 0, "web unchanged", "already at revision 3")


@pytest.mark.parametrize("mode", ["client", "server"])
@pytest.mark.parametrize(
    "line",
    [
        "rollout pause asts/web", "rollout partition asts/web 2", "rollout restart asts/web", "scale asts/web --replicas 2",
        "scale asts/web --delete-pod 1", "scale asts/web --delete-pod 1 --replace", "set image asts/web app=shop/web:9",
    ],
)  # fmt: skip
def test_a_dry_run_writes_nothing(still: Land, line: str, mode: str) -> None:  # faults B1 to B4
    before = still.shell.admin.get(PATH)["metadata"]["resourceVersion"]
    still.says(f"{line} --dry-run={mode}", 0, "dry run)")
    assert all(request.method == "GET" or "dryRun=All" in request.target for request in still.shell.writes)
    assert still.shell.admin.get(PATH)["metadata"]["resourceVersion"] == before


@pytest.fixture(scope="module")
def still() -> Land:
    """Give a land that no test changes."""
    return Land()


def test_an_unordered_update_counts_pods_and_names_none() -> None:  # advanced-statefulset.md §13 [O-2], [O-3]
    first = {"weight": 20, "matchSelector": {"matchLabels": {"apps.kubernetes.io/pod-index": "1"}}}
    land = Land({"unorderedUpdate": {"priorityStrategy": {"weightPriority": [first]}}, "partition": 5})
    land.says(
        "rollout partition asts/web 3",
        0,
        "its update is unordered: pods that are updated already count first",
    )
    land.says("set image asts/web app=shop/web:2", 0, "2 of 5 pods change, 3 stay (partition 3)")
    land.pass_time(60)
    assert {name for name, image in land.pods().items() if image == "shop/web:2"} == {"web-1", "web-4"}
    land.says("rollout status asts/web", 0, "done updated=2/2 available=2 held=3")
    land.says("rollout status asts/web --watch=false", 0, "3 held by partition 3\n")
    land.says(
        "rollout undo asts/web", 0, "partition 3 → 0: with it, pods of the revision left behind would have"
    )
    land.pass_time(60)
    land.says("rollout status asts/web", 0, "done updated=5/5 available=5")


def test_claims_that_outlive_their_pods_are_in_the_tree() -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    land = Land(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": claim}], replicas=2)
    land.says(
        "scale asts/web --delete-pod 0",
        0,
        "volume claims stay, for a later pod of the same ordinal: data-web-0",
    )
    land.pass_time(60)
    land.says(
        "tree asts/web",
        0,
        "Pod web-1",
        "PersistentVolumeClaim data-web-0",
        "PersistentVolumeClaim data-web-1",
    )

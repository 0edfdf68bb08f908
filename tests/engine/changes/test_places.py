"""Chosen pods of an Advanced StatefulSet: rollout-operations.md §4, §12, advanced-statefulset.md §12.1, §12.6, §16.3."""

from typing import Any

import pytest

from kubectl_kruise.engine.changes.change import Change, Unchanged
from kubectl_kruise.engine.changes.images import plan_images
from kubectl_kruise.engine.changes.places import full_names, plan_delete_places, plan_replace_place
from kubectl_kruise.engine.changes.scaling import plan_replicas
from kubectl_kruise.errors import NotFoundError, RefusedError
from kubectl_kruise.objects.raw import Raw
from tests.engine.changes.workloads import UID, advanced_set

CLAIMS = [{"metadata": {"name": "data"}}]


def pod(name: str, uid: str = UID, **meta: Any) -> Raw:
    owner = {"kind": "StatefulSet", "name": "web", "uid": uid, "controller": True}
    return {"metadata": {"name": name, "uid": f"u-{name}", "ownerReferences": [owner], **meta}}


def pods(*ordinals: int) -> dict[str, Raw]:
    return {f"web-{ordinal}": pod(f"web-{ordinal}") for ordinal in ordinals}


def written(change: Change) -> dict[str, Any]:
    return {step["path"]: step["value"] for step in change.operations if step["op"] != "test"}


@pytest.mark.parametrize(
    ("names", "spec", "replicas", "reserved"),
    [
        pytest.param(["web-4"], {}, 4, None, id="the last: no ordinal is reserved (§12)"),
        pytest.param(["web-3", "web-4"], {}, 3, None, id="the last two"),
        pytest.param(["web-1"], {}, 4, [1], id="one of the middle: reserved and one fewer in one write (§4)"),
        pytest.param(["web-4", "web-1"], {}, 3, [1], id="of a mixture only those below the last that stays"),
        pytest.param(["web-3", "web-1"], {}, 3, [1, 3], id="in order"),
        pytest.param(["web-4"], {"reserveOrdinals": [1, "2-3"]}, 4, [1, "2-3", 4], id="places 0, 4, 5, 6, 7: beside ranges"),
        pytest.param(["web-7"], {"reserveOrdinals": [1, "2-3"]}, 4, None, id="its last is that of the places"),
        pytest.param(["web-0", "web-1"], {"replicas": 2}, 0, None, id="all: nothing is left to be kept in place"),
    ],
)  # fmt: skip
def test_what_is_written(names: list[str], spec: Raw, replicas: int, reserved: list[Any] | None) -> None:
    change = plan_delete_places(advanced_set(**spec), names, pods(*range(8)))

    assert isinstance(change, Change)
    wanted: dict[str, Any] = {"/spec/replicas": replicas}
    assert written(change) == (wanted if reserved is None else wanted | {"/spec/reserveOrdinals": reserved})


@pytest.mark.parametrize(
    ("spec", "there", "names", "why"),
    [
        pytest.param({"replicas": 4, "reserveOrdinals": [1]}, pods(0, 2, 3, 4), ["web-1"],
                     "gone already, with their ordinals reserved: web-1", id="reserved, and gone"),
        pytest.param({"replicas": 4, "reserveOrdinals": ["0-1"]}, pods(1), ["web-1"], "going already: web-1",
                     id="reserved by a range, not yet gone"),
        pytest.param({"replicas": 4}, pods(0, 1, 2, 3, 4), ["web-4"], "going already: web-4",
                     id="beyond the last, not yet gone"),
        pytest.param({"replicas": 4, "reserveOrdinals": [1, 2]}, pods(0, 2, 3, 4, 5), ["web-1", "web-2"],
                     "going already: web-2; gone already, with their ordinals reserved: web-1", id="one of each"),
        pytest.param({"replicas": 4}, pods(0, 1, 2, 3), ["web-4"], "gone already, and the set ends before: web-4",
                     id="the last, repeated once it is gone"),
        pytest.param({"replicas": 3, "reserveOrdinals": [3]}, pods(0, 1, 2), ["web-5", "web-4"],
                     "gone already, and the set ends before: web-5, web-4", id="the last two, behind one reserved"),
        pytest.param({"replicas": 3}, pods(0, 1, 2, 3), ["web-3", "web-4"],
                     "going already: web-3; gone already, and the set ends before: web-4", id="one of them still going"),
    ],
)  # fmt: skip
def test_what_is_going_already_does_not_lower_the_number_again(
    spec: Raw, there: dict[str, Raw], names: list[str], why: str
) -> None:
    found = plan_delete_places(advanced_set(**spec), names, there)

    assert found == Unchanged(why)


@pytest.mark.parametrize(
    ("names", "there", "spec", "error", "text"),
    [
        (["web-9"], pods(0), {}, NotFoundError, 'asts "web" has no place for web-9'),
        (["db-1"], {}, {}, NotFoundError, "has no place for db-1"),
        (["db-5"], pods(0, 1, 2, 3, 4), {}, NotFoundError, "has no place for db-5"),
        (["web-6"], pods(0, 1, 2, 3, 4), {}, NotFoundError, "has no place for web-6"),
        (["web-4", "web-5"], pods(0, 1, 2, 3, 4), {}, NotFoundError, "has no place for web-5"),
        (["web-1"], {"web-1": pod("web-1", "other")}, {}, RefusedError, 'pod "web-1" belongs to StatefulSet "web", not to'),
        (["web-1"], pods(1), {"reserveOrdinals": ["7"]}, RefusedError, "spec.reserveOrdinals of asts"),
        (["web-1"], {}, {"ordinals": {"start": 1}}, RefusedError, "spec.ordinals.start and no pods"),
    ],
)  # fmt: skip
def test_what_is_refused(
    names: list[str], there: dict[str, Raw], spec: Raw, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        plan_delete_places(advanced_set(**spec), names, there)


def test_through_the_old_version_no_ordinal_is_reserved() -> None:
    workload = advanced_set()
    workload.raw["apiVersion"] = "apps.kruise.io/v1alpha1"

    with pytest.raises(RefusedError, match="hides ranges of reserved ordinals and erases them"):
        plan_delete_places(workload, ["web-1"], pods(1))


@pytest.mark.parametrize(("there", "last"), [(pods(5, 6, 7, 8, 9), "web-9"), (pods(0, 1, 2, 3, 4), "web-4")])
def test_the_pods_tell_whether_a_start_counts(there: dict[str, Raw], last: str) -> None:  # its gate
    change = plan_delete_places(advanced_set(ordinals={"start": 5}), [last], there)

    assert isinstance(change, Change)
    assert written(change) == {"/spec/replicas": 4}


def test_the_plan_tells_of_names_claims_and_the_partition() -> None:
    workload = advanced_set(rolling={"partition": 2}, volumeClaimTemplates=CLAIMS)
    change = plan_delete_places(workload, ["web-0"], pods(*range(5)))

    assert isinstance(change, Change)
    assert change.notes == (
        "deletes web-0: replicas 5 → 4",
        "reserves ordinal 0: all other pods keep their names, and none takes its place",
        "reserved until it is taken out of spec.reserveOrdinals",
        "the next pod, when it grows, is web-5",
        "volume claims stay, for a later pod of the same ordinal: data-web-0",
    )
    assert change.warnings == ("partition 2 counts pods: it keeps web-1, web-2, no longer web-0, web-1",)


def test_claims_that_go_with_their_pods_are_warned_about() -> None:  # advanced-statefulset.md §16.3
    policy = {"whenScaled": "Delete", "whenDeleted": "Retain"}
    workload = advanced_set(volumeClaimTemplates=CLAIMS, persistentVolumeClaimRetentionPolicy=policy)
    gone = (
        "the volume claims of the pods that go are deleted with them, and their data is lost, where the manager's gate"
        " StatefulSetAutoDeletePVC is on: data-web-4"
    )
    for change in (plan_delete_places(workload, ["web-4"], pods(4)), plan_replicas(workload, 4)):
        assert isinstance(change, Change)
        assert change.warnings == (gone,)


@pytest.mark.parametrize(
    ("replicas", "spec", "notes"),
    [
        (3, {}, ("deletes web-3, web-4",)),
        (7, {}, ("makes web-5, web-6",)),
        (7, {"reserveOrdinals": [1, "3-4"]}, (
            "makes web-8, web-9", "stay reserved, and are skipped: ordinals 1, 3-4 (spec.reserveOrdinals)",
        )),
        (3, {"volumeClaimTemplates": CLAIMS}, (
            "deletes web-3, web-4", "volume claims stay, for a later pod of the same ordinal: data-web-3, data-web-4",
        )),
        (3, {"ordinals": {"start": 2}}, ()),
        (105, {}, ("makes web-5 to web-104",)),
    ],
)  # fmt: skip
def test_scaling_names_the_pods(replicas: int, spec: Raw, notes: tuple[str, ...]) -> None:
    change = plan_replicas(advanced_set(**spec), replicas)

    assert isinstance(change, Change)
    assert change.notes == notes


def test_a_replaced_pod_comes_back_under_its_name() -> None:  # [P-56]
    change = plan_replace_place(advanced_set(volumeClaimTemplates=CLAIMS), pod("web-1"))

    assert isinstance(change, Change)
    assert written(change)["/metadata/labels"] == {"apps.kruise.io/specified-delete": "true"}
    assert change.notes == ("a pod of the same name takes its place, with its volume claims",)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"updateStrategy": {"type": "OnDelete"}}, "update type OnDelete: a chosen pod is not replaced"),  # [P-50]
        ({"rolling": {"paused": True}}, "is paused: a chosen pod is not replaced"),  # [P-53]
    ],
)  # fmt: skip
def test_a_pod_that_nobody_would_replace_is_not_marked(spec: Raw, text: str) -> None:
    with pytest.raises(RefusedError, match=text):
        plan_replace_place(advanced_set(**spec), pod("web-1"))


def test_marked_once() -> None:
    marked = pod("web-1", labels={"apps.kruise.io/specified-delete": "false"})  # its value does not matter

    assert plan_replace_place(advanced_set(), marked) == Unchanged("marked for deletion already")
    assert plan_replace_place(advanced_set(replicas=1), pod("web-1")) == Unchanged(
        "going already, as it has no place in the set"
    )


def test_a_hook_that_never_lets_a_pod_go_is_warned_about() -> None:  # §15.4
    hook = {"preDelete": {"labelsHandler": {"drain": "true"}}}
    change = plan_replace_place(
        advanced_set(podManagementPolicy="OrderedReady", lifecycle=hook), pod("web-1")
    )

    assert isinstance(change, Change)
    assert change.warnings[0].startswith(
        "a pod held by its preDelete hook is never deleted under OrderedReady"
    )


def test_pods_may_be_named_by_their_ordinal() -> None:
    assert full_names("web", ["1", "web-1", "web-3"]) == ["web-1", "web-3"]


@pytest.mark.parametrize(
    ("rolling", "gates", "warned"),
    [
        ({"podUpdatePolicy": "InPlaceIfPossible"}, [], 1),
        ({"podUpdatePolicy": "InPlaceIfPossible"}, [{"conditionType": "InPlaceUpdateReady"}], 0),
        ({"podUpdatePolicy": "ReCreate"}, [], 0),
    ],
    ids=["in place without it", "there", "pods are recreated"],
)
def test_a_missing_readiness_gate_is_told(rolling: Raw, gates: list[Raw], warned: int) -> None:
    workload = advanced_set(rolling=rolling)
    workload.raw["spec"]["template"]["spec"]["readinessGates"] = gates
    change = plan_images(workload, {"app": "shop/web:2"})

    assert isinstance(change, Change)
    assert sum("no readiness gate InPlaceUpdateReady" in text for text in change.warnings) == warned


HALF = {"observedGeneration": 1, "currentRevision": "web-a", "updateRevision": "web-b", "updatedReplicas": 1}


def test_a_canary_that_goes_is_warned_about_and_one_that_stays_is_not() -> None:  # §13 [O-1]
    workload = advanced_set(rolling={"partition": 4}, status=HALF)
    last, first = (plan_delete_places(workload, [name], pods(*range(5))) for name in ("web-4", "web-0"))

    assert isinstance(last, Change)
    assert isinstance(first, Change)
    assert last.warnings == ("the partition keeps 4 of 4 pods old: 1 of the 1 updated pods go",)
    assert first.warnings == (
        "partition 4 counts pods: it keeps web-1, web-2, web-3, web-4, no longer web-0, web-1, web-2, web-3",
    )


@pytest.mark.parametrize(
    ("name", "revision", "warned"),
    [("web-1", "web-b", 1), ("web-1", "web-a", 0), ("web-4", "web-b", 0)],
    ids=["[P-12]: an updated pod in a kept place", "an old one", "in a place that is updated"],
)
def test_a_replaced_pod_may_go_back(name: str, revision: str, warned: int) -> None:
    workload = advanced_set(rolling={"partition": 4}, status=HALF)
    change = plan_replace_place(workload, pod(name, labels={"controller-revision-hash": revision}))

    assert isinstance(change, Change)
    assert len(change.warnings) == warned


@pytest.mark.parametrize(
    ("policy", "rolling", "hook", "warned"),
    [
        ("OrderedReady", {"podUpdatePolicy": "InPlaceIfPossible"}, "inPlaceUpdate", "is never updated"),
        ("OrderedReady", {"podUpdatePolicy": "InPlaceIfPossible"}, "preDelete", ""),
        ("OrderedReady", {}, "preDelete", "is never deleted"),
        ("Parallel", {}, "preDelete", ""),
    ],
)
def test_hooks_that_lock_an_ordered_set_up(
    policy: str, rolling: Raw, hook: str, warned: str
) -> None:  # §15.4
    spec = {"podManagementPolicy": policy, "lifecycle": {hook: {"labelsHandler": {"hold": "true"}}}}
    workload = advanced_set(rolling=rolling, **spec)
    workload.raw["spec"]["template"]["spec"]["readinessGates"] = [{"conditionType": "InPlaceUpdateReady"}]
    change = plan_images(workload, {"app": "shop/web:2"})

    assert isinstance(change, Change)
    assert [warned in text for text in change.warnings] == ([True] if warned else [])

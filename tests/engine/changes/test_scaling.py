from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.changes.change import Change, Risk, Unchanged
from kubectl_kruise.engine.changes.scaling import (
    check_current,
    check_replicas,
    parse_pod_names,
    plan_delete_pods,
    plan_replace_pod,
    plan_replicas,
)
from kubectl_kruise.errors import KruiseError, NotFoundError, RefusedError, UsageError
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.workload import Workload
from tests.engine.changes.workloads import UID, cloneset, deployment, pod

PODS = {name: pod(name) for name in ("web-a", "web-b", "web-c")}


def planned(decision: object) -> Change:
    assert isinstance(decision, Change)
    return decision


def test_scaling_goes_through_the_subresource_guarded_by_the_number_it_was() -> None:
    change = planned(plan_replicas(cloneset(), 7))

    assert change.subresource == "scale"
    assert change.operations == [
        {"op": "test", "path": "/metadata/uid", "value": UID},
        {"op": "test", "path": "/spec/replicas", "value": 5},
        {"op": "replace", "path": "/spec/replicas", "value": 7},
    ]
    assert change.risk is Risk.NONE


def test_from_zero_only_the_version_can_guard_because_a_scale_leaves_zero_out() -> None:
    change = planned(plan_replicas(cloneset(replicas=0), 7))

    assert change.subresource == "scale"
    assert [step["path"] for step in change.operations] == [
        "/metadata/uid",
        "/metadata/resourceVersion",
        "/spec/replicas",
    ]
    assert change.operations[-1] == {"op": "add", "path": "/spec/replicas", "value": 7}


def test_shrinking_is_a_risk_and_says_what_goes_with_the_pods() -> None:
    workload = cloneset(volumeClaimTemplates=[{}], scaleStrategy={"podsToDelete": ["web-a"]})

    change = planned(plan_replicas(workload, 2))

    assert change.risk is Risk.SHRINKS
    assert change.deltas == ("replicas 5 → 2",)
    assert change.notes == ("pods listed for deletion go first: web-a",)
    assert len(change.warnings) == 1


def test_a_native_kind_keeps_its_claims() -> None:
    assert planned(plan_replicas(deployment(), 0)).warnings == ()


def test_the_same_number_changes_nothing() -> None:
    assert isinstance(plan_replicas(cloneset(), 5), Unchanged)


def test_the_number_expected_is_a_precondition() -> None:
    with pytest.raises(RefusedError, match='cloneset "web" has 5 replicas, not 4'):
        check_current(cloneset(), 4)
    check_current(cloneset(), 5)
    check_current(cloneset(), None)


@pytest.mark.parametrize("number", [-1, 2**31])
def test_impossible_numbers_are_usage_errors(number: int) -> None:
    with pytest.raises(UsageError):
        check_replicas(number)


@pytest.mark.parametrize("number", [0, 2**31 - 1])
def test_the_smallest_and_the_largest_number(number: int) -> None:
    assert check_replicas(number) == number


@pytest.mark.parametrize(
    ("replicas", "notes"),
    [(4, ("pods listed for deletion go first: web-a",)), (6, ())],
    ids=["fewer", "more"],
)
def test_pods_listed_for_deletion_are_named_where_some_go(replicas: int, notes: tuple[str, ...]) -> None:
    workload = cloneset(scaleStrategy={"podsToDelete": ["web-a"]})

    assert planned(plan_replicas(workload, replicas)).notes == notes
    assert planned(plan_replicas(cloneset(), replicas)).notes == ()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        pytest.param(["web-a,web-b"], ["web-a", "web-b"], id="comma"),
        pytest.param(["web-a, web-b", " web-c "], ["web-a", "web-b", "web-c"], id="B18 blanks"),
        pytest.param(["web-a,", "web-a"], ["web-a"], id="B17a twice"),
        pytest.param(["pod/web-a", "pods/web-b"], ["web-a", "web-b"], id="with the kind"),
    ],
)
def test_pod_names_are_read_once_each(words: list[str], names: list[str]) -> None:
    assert parse_pod_names(words) == names


def test_no_pod_name_at_all_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        parse_pod_names([" , "])


def test_one_patch_shrinks_and_names() -> None:  # rollout-operations.md §12
    workload = cloneset(scaleStrategy={"podsToDelete": ["web-gone", "web-a"]})

    change = planned(plan_delete_pods(workload, ["web-b", "web-c"], PODS))

    assert change.operations == [
        {"op": "test", "path": "/metadata/uid", "value": UID},
        {"op": "test", "path": "/spec/replicas", "value": 5},
        {"op": "replace", "path": "/spec/replicas", "value": 3},
        {"op": "test", "path": "/spec/scaleStrategy/podsToDelete", "value": ["web-gone", "web-a"]},
        {"op": "replace", "path": "/spec/scaleStrategy/podsToDelete", "value": ["web-a", "web-b", "web-c"]},
    ]
    assert change.risk is Risk.DELETES
    assert change.notes == ("deletes web-b, web-c: replicas 5 → 3",)


def test_a_pod_that_is_listed_already_does_not_lower_the_number_again() -> None:  # cli.md B17a
    workload = cloneset(replicas=4, scaleStrategy={"podsToDelete": ["web-a"]})

    change = planned(plan_delete_pods(workload, ["web-a", "web-b"], PODS))

    assert {"op": "replace", "path": "/spec/replicas", "value": 3} in change.operations


def test_only_listed_pods_change_nothing() -> None:
    workload = cloneset(scaleStrategy={"podsToDelete": ["web-a"]})

    assert plan_delete_pods(workload, ["web-a"], PODS) == Unchanged("listed for deletion already: web-a")


@pytest.mark.parametrize(
    ("names", "pods", "error", "message"),
    [
        pytest.param(["nope"], PODS, NotFoundError, 'no pod "nope" in namespace "shop"', id="B16 missing"),
        pytest.param(
            ["x"],
            {"x": pod("x", owner="other")},
            RefusedError,
            'pod "x" belongs to CloneSet "web", not to cloneset "web"',
            id="B16 of another owner",
        ),
        pytest.param(
            ["x"],
            {"x": pod("x", owner=None)},
            RefusedError,
            'pod "x" belongs to no controller, not to cloneset "web"',
            id="of nobody",
        ),
        pytest.param(
            ["x"],
            {"x": pod("x", deletionTimestamp="2026-01-01T00:00:00Z")},
            RefusedError,
            'pod "x" is being deleted already',
            id="on its way out",
        ),
    ],
)
def test_pods_that_must_not_be_named_are_refused(
    names: list[str], pods: dict[str, Any], error: type[KruiseError], message: str
) -> None:
    with pytest.raises(error) as refusal:
        plan_delete_pods(cloneset(), names, pods)

    assert refusal.value.message == message


def test_never_below_zero() -> None:  # cli.md B17
    with pytest.raises(RefusedError, match="has 1 replicas: 2 fewer is not possible"):
        plan_delete_pods(cloneset(replicas=1), ["web-a", "web-b"], PODS)


@given(
    st.integers(0, 6),
    st.lists(st.sampled_from(["web-a", "web-b", "web-c", "gone"]), unique=True),
    st.lists(st.sampled_from(["web-a", "web-b", "web-c"]), min_size=1, unique=True),
)
def test_the_number_falls_by_exactly_the_pods_newly_named(
    replicas: int, listed: list[str], names: list[str]
) -> None:
    workload = cloneset(replicas=replicas, scaleStrategy={"podsToDelete": listed})
    try:
        decision = plan_delete_pods(workload, names, PODS)
    except RefusedError:
        assert len(set(names) - set(listed)) > replicas
        return
    patched = jsonpatch.apply_patch(workload.raw, getattr(decision, "operations", []))
    after = patched["spec"]["scaleStrategy"]["podsToDelete"]
    assert replicas - patched["spec"]["replicas"] == len(set(names) - set(listed))
    assert len(after) == len(set(after))
    assert set(names) <= set(after)


def test_replacing_marks_the_pod_and_leaves_the_number() -> None:
    change = planned(plan_replace_pod(cloneset(), pod("web-a", labels={"app": "web"})))

    assert change.operations == [
        {"op": "test", "path": "/metadata/uid", "value": "uid-web-a"},
        {"op": "add", "path": "/metadata/labels/apps.kruise.io~1specified-delete", "value": "true"},
    ]


def test_a_marked_pod_is_not_marked_again() -> None:
    marked = pod("web-a", labels={SPECIFIED_DELETE_LABEL: "true"})

    assert isinstance(plan_replace_pod(cloneset(), marked), Unchanged)


def test_each_bad_name_comes_with_its_reason() -> None:  # fault B084
    pods = {"going": pod("going", deletionTimestamp="2026-01-01T00:00:00Z"), "other": pod("other", owner="x")}

    with pytest.raises(RefusedError) as refusal:
        plan_delete_pods(cloneset(), ["absent", "going", "other"], pods)

    assert refusal.value.message == (
        'no pod "absent" in namespace "shop"; pod "going" is being deleted already; '
        'pod "other" belongs to CloneSet "web", not to cloneset "web"'
    )


def test_absent_replicas_are_one() -> None:  # fault B086
    workload = cloneset()
    del workload.raw["spec"]["replicas"]

    change = planned(plan_delete_pods(workload, ["web-a"], PODS))

    assert {"op": "add", "path": "/spec/replicas", "value": 0} in change.operations


CANARY = {"currentRevision": "web-a", "updateRevision": "web-b", "updatedReplicas": 2}


@pytest.mark.parametrize(
    ("replicas", "warning"),
    [
        pytest.param(3, "the partition keeps 3 of 3 pods old: 2 of the 2 updated pods go", id="B098"),
        pytest.param(
            0,
            "with no pod left the rollout counts as finished: all pods to come are of web-b, none of web-a",
            id="B142",
        ),
        pytest.param(4, "the partition keeps 3 of 4 pods old: 1 of the 2 updated pods go", id="one of two"),
        pytest.param(6, None, id="growing loses nothing"),
    ],
)
def test_shrinking_in_a_canary_says_what_it_loses(replicas: int, warning: str | None) -> None:
    workload = cloneset(strategy={"partition": 3}, status=CANARY)

    assert planned(plan_replicas(workload, replicas)).warnings == ((warning,) if warning else ())


@pytest.mark.parametrize(
    ("current", "updated"),
    [("web-b", 5), ("web-b", 3), ("web-a", 5)],
    ids=["done", "new pods still to be counted", "all updated, the revision about to be taken over"],
)
def test_shrinking_outside_a_canary_loses_no_revision(current: str, updated: int) -> None:
    done = {"currentRevision": current, "updateRevision": "web-b", "updatedReplicas": updated}

    assert planned(plan_replicas(cloneset(strategy={"partition": 3}, status=done), 0)).warnings == ()


MISSING = "no chosen pod is deleted while pods are missing: {} of {} are still to be made"
KEPT = "it is not deleted while it is ready: none may be unavailable ({})"
ON_DELETE = {"type": "OnDelete"}


@pytest.mark.parametrize(
    ("workload", "marked", "warnings"),
    [
        pytest.param(
            cloneset(replicas=4, strategy=ON_DELETE), pod("web-a"),
            (KEPT.format("update type OnDelete, 20% of 4 pods count as 0"),), id="Q5, ex. 18: OnDelete rounds down",
        ),
        pytest.param(cloneset(replicas=5, strategy=ON_DELETE), pod("web-a"), (), id="Q5: 20% of 5 is one"),
        pytest.param(
            cloneset(replicas=4, strategy=ON_DELETE), pod("web-a", ready=False), (), id="Q5: broken pods go"
        ),
        pytest.param(
            cloneset(replicas=4, strategy=ON_DELETE, status={"observedGeneration": 1, "replicas": 5}),
            pod("web-a"), (), id="Q5: an excess pod",
        ),
        pytest.param(
            cloneset(strategy={"maxUnavailable": "12.5%"}), pod("web-a"),
            (KEPT.format("maxUnavailable 12.5% of 5 pods count as 0"),), id="Q4: decimals",
        ),
        pytest.param(
            cloneset(strategy={"maxUnavailable": 0, "maxSurge": 1}), pod("web-a"), (), id="ex. 14: the surge comes first"
        ),
        pytest.param(
            cloneset(replicas=6, status={"observedGeneration": 1, "replicas": 5}), pod("web-a"),
            (MISSING.format(1, 6),), id="Q6, ex. 4: a pod is missing",
        ),
        pytest.param(cloneset(replicas=6, status={"replicas": 5}), pod("web-a"), (), id="Q6: a status not of this spec"),
    ],
)  # fmt: skip
def test_replacing_warns_where_the_pod_would_stay(
    workload: Workload, marked: dict[str, Any], warnings: tuple[str, ...]
) -> None:
    assert planned(plan_replace_pod(workload, marked)).warnings == warnings


@pytest.mark.parametrize(("there", "missing"), [(6, 0), (5, 0), (4, 1), (3, 2)])
def test_naming_pods_warns_where_others_are_missing(there: int, missing: int) -> None:
    """cloneset.md §26 Q6: one pod named makes it 5 of 6."""
    workload = cloneset(replicas=6, status={"observedGeneration": 1, "replicas": there})

    warnings = planned(plan_delete_pods(workload, ["web-a"], PODS)).warnings

    assert warnings == ((MISSING.format(missing, 5),) if missing else ())


def test_blanks_and_empty_items_are_no_part_of_a_name() -> None:  # fault B082
    pods = {name: pod(name) for name in ("web-aaaaa", "web-bbbbb")}

    names = parse_pod_names(["web-aaaaa, web-bbbbb ,"])
    change = planned(plan_delete_pods(cloneset(), names, pods))

    written = jsonpatch.apply_patch(cloneset().raw, change.operations)["spec"]
    assert (written["replicas"], written["scaleStrategy"]["podsToDelete"]) == (3, ["web-aaaaa", "web-bbbbb"])

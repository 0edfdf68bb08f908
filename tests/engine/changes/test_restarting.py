import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.changes.change import Change, Risk
from kubectl_kruise.engine.changes.restarting import (
    by_template,
    plan_restart_end,
    plan_restart_mark,
    plan_restart_step,
    plan_template_restart,
)
from kubectl_kruise.engine.changes.way import way_of
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.facts.names import RESTARTING_SINCE, SPECIFIED_DELETE_LABEL
from kubectl_kruise.objects.workload import Workload
from tests.engine.changes.workloads import cloneset, deployment, pod, surging_on_delete

OLD, NEW, NOW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", 1_800_000_000.0
IN_PLACE = {"type": "InPlaceIfPossible", "maxUnavailable": 2}
MARK = f"/metadata/annotations/{RESTARTING_SINCE.replace('/', '~1')}"


def planned(decision: object) -> Change:
    assert isinstance(decision, Change)
    return decision


def test_a_template_restart_is_kubectls_annotation() -> None:
    workload = deployment()
    workload.raw["spec"]["template"]["metadata"]["annotations"] = {}

    change = planned(plan_template_restart(workload, NEW))

    assert change.operations[-1] == {
        "op": "add",
        "path": "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt",
        "value": NEW,
    }


def test_a_restart_is_a_risk_where_pods_take_their_claims_with_them() -> None:
    kept, lost = cloneset(strategy=IN_PLACE), cloneset(strategy=IN_PLACE, volumeClaimTemplates=[{}])

    assert [plan_restart_mark(each, [pod("a")]).risk for each in (kept, lost)] == [Risk.NONE, Risk.DELETES]
    recreated = cloneset(volumeClaimTemplates=[{}])
    assert planned(plan_template_restart(recreated, NEW)).risk is Risk.DELETES


@pytest.mark.parametrize(
    "workload", [deployment(paused=True), cloneset(strategy={"paused": True})], ids=["deployment", "cloneset"]
)
def test_nothing_is_restarted_while_paused(workload: object) -> None:
    with pytest.raises(RefusedError, match="it is paused"):
        plan_template_restart(workload, NEW)  # type: ignore[arg-type]


def test_a_template_restarts_nothing_where_pods_are_updated_on_delete_only() -> None:
    on_delete = cloneset(strategy={"type": "OnDelete"})

    with pytest.raises(RefusedError, match="a new template restarts nothing"):
        plan_template_restart(on_delete, NEW)


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (deployment(), True),
        (cloneset(strategy={"type": "ReCreate"}), True),
        (cloneset(strategy={"type": "InPlaceIfPossible"}), False),
        (cloneset(strategy={"type": "InPlaceOnly"}), False),
    ],
    ids=["deployment", "recreate", "if possible", "only"],
)
def test_only_types_in_place_are_restarted_pod_by_pod(workload: Workload, expected: bool) -> None:
    assert by_template(workload) is expected


def test_a_restart_pod_by_pod_leaves_the_template_alone() -> None:
    pods = [pod("a", created=OLD), pod("b", created=NEW)]

    change = planned(plan_restart_mark(cloneset(strategy=IN_PLACE), pods))

    assert [step["path"] for step in change.operations if "spec" in step["path"]] == []
    assert change.operations[-1] == {
        "op": "add",
        "path": "/metadata/annotations",
        "value": {RESTARTING_SINCE: NEW},
    }
    assert change.notes == ("replaces 2 pods, 2 at a time; the template stays as it is",)


def test_pods_that_go_anyway_are_not_counted() -> None:
    going = pod("b", created=OLD)
    going["metadata"]["deletionTimestamp"] = NEW

    change = planned(plan_restart_mark(cloneset(strategy=IN_PLACE), [pod("a", created=OLD), going]))

    assert change.notes == ("replaces 1 pod, 2 at a time; the template stays as it is",)


def test_a_second_run_takes_up_the_first() -> None:
    workload = cloneset(strategy=IN_PLACE)
    workload.raw["metadata"]["annotations"] = {RESTARTING_SINCE: OLD}

    change = planned(plan_restart_mark(workload, [pod("a", created=OLD), pod("b", created=NEW)]))

    assert change.operations[-1] == {"op": "replace", "path": MARK, "value": OLD}
    assert change.notes[0] == f"takes up an interrupted restart: pods created after {OLD} stay"
    assert change.notes[1].startswith("replaces 1 pod")


def test_a_mark_that_no_pod_is_left_for_begins_anew() -> None:
    workload = cloneset(strategy=IN_PLACE)
    workload.raw["metadata"]["annotations"] = {RESTARTING_SINCE: OLD}

    change = planned(plan_restart_mark(workload, [pod("b", created=NEW)]))

    assert change.operations[-1] == {"op": "replace", "path": MARK, "value": NEW}
    assert change.notes == ("replaces 1 pod, 2 at a time; the template stays as it is",)


def test_where_no_pod_may_be_missing_a_restart_is_refused() -> None:
    with pytest.raises(RefusedError, match="allows no unavailable pod"):
        plan_restart_mark(cloneset(strategy={"type": "InPlaceOnly", "maxUnavailable": 0}), [])


def test_broken_pods_go_first_at_no_further_cost() -> None:
    pods = [
        pod("a", created=OLD),
        pod("b", created=OLD, ready=False),
        pod("c", created=OLD),
        pod("d", created=OLD),
    ]

    step = plan_restart_step(cloneset(strategy=IN_PLACE, replicas=4), pods, OLD, NOW)

    assert step.chosen == ("b", "a")


def test_marked_and_missing_pods_count_against_the_budget() -> None:
    marked = pod("a", created=OLD, labels={SPECIFIED_DELETE_LABEL: "true"})

    step = plan_restart_step(cloneset(strategy=IN_PLACE, replicas=4), [marked, pod("b"), pod("c")], OLD, NOW)

    assert step.chosen == ()
    assert not step.settled


def test_it_is_over_when_every_pod_is_new_and_available() -> None:
    pods = [pod("a", created=NEW), pod("b", created=NEW)]
    workload = cloneset(strategy=IN_PLACE, replicas=2)

    assert plan_restart_step(workload, pods, OLD, NOW).settled
    assert not plan_restart_step(workload, [pods[0], pod("b", created=NEW, ready=False)], OLD, NOW).settled


def test_the_mark_is_taken_away_at_the_end() -> None:
    workload = cloneset()
    workload.raw["metadata"]["annotations"] = {RESTARTING_SINCE: OLD}

    assert plan_restart_end(workload)[-1] == {"op": "remove", "path": MARK}
    assert plan_restart_end(cloneset()) == []


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=9),
    st.integers(1, 4),
    st.integers(0, 9),
)
def test_never_more_unavailable_than_allowed(
    states: list[tuple[bool, bool, bool]], limit: int, replicas: int
) -> None:
    pods = [
        pod(
            f"p{i}",
            created=OLD if old else NEW,
            ready=ready,
            labels={SPECIFIED_DELETE_LABEL: "true"} if marked else {},
        )
        for i, (old, ready, marked) in enumerate(states)
    ]
    workload = cloneset(strategy={"type": "InPlaceOnly", "maxUnavailable": limit}, replicas=replicas)

    step = plan_restart_step(workload, pods, OLD, NOW)

    healthy = [f"p{i}" for i, (_, ready, marked) in enumerate(states) if ready and not marked]
    taken = [name for name in step.chosen if name in healthy]
    assert not taken or replicas - (len(healthy) - len(taken)) <= limit


def test_a_surge_beside_on_delete_restarts_the_pods() -> None:  # cloneset.md §26 Q26
    assert isinstance(plan_template_restart(surging_on_delete(), NEW), Change)


@pytest.mark.parametrize(
    ("update_type", "recreates"), [("InPlaceIfPossible", False), ("InPlaceOnly", False), ("ReCreate", True)]
)
def test_a_stamped_template_restarts_only_what_is_recreated(update_type: str, recreates: bool) -> None:
    """fault B076: in place the annotation is patched and no container restarts, so pods are replaced one by one."""
    workload = cloneset(strategy={"type": update_type})

    assert by_template(workload) is recreates
    assert planned(plan_template_restart(workload, NEW)).mode == "recreate pods"
    assert way_of(workload, stamped(workload)).images is False


def stamped(workload: Workload) -> dict[str, Any]:
    template = copy.deepcopy(workload.raw["spec"]["template"])
    template["metadata"]["annotations"] = {"kubectl.kubernetes.io/restartedAt": NEW}
    return template

"""Restarts in place: which run, which pods next, and never more unavailable than allowed (rollout-operations.md §11)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.changes.change import Change, Unchanged
from kubectl_kruise.engine.changes.recreating import (
    Run,
    Wave,
    pick_run,
    plan_run,
    plan_wave,
    read_run,
    recreate_request,
    request_name,
)
from kubectl_kruise.errors import NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.recreation import RESTARTING_IN_PLACE
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload

BEFORE, SINCE, AFTER = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"
NOW = 1_800_000_000.0
RUN = Run("r1", (), SINCE)
MARK = f'{{"run":"r1","containers":["app"],"since":"{SINCE}"}}'


def workload(replicas: int = 3, *, mark: str = "", **strategy: Any) -> Workload:
    meta: Raw = {"name": "web", "namespace": "shop", "uid": "w", "resourceVersion": "7", "generation": 1}
    if mark:
        meta["annotations"] = {RESTARTING_IN_PLACE: mark}
    raw = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": meta,
        "spec": {"replicas": replicas, "updateStrategy": {"maxUnavailable": 1, **strategy}},
        "status": {"observedGeneration": 1, "updateRevision": "web-1"},
    }
    return Workload(raw, CLONESET)


def pod(
    name: str,
    *,
    started: str = BEFORE,
    ready: bool = True,
    containers: tuple[str, ...] = ("app",),
    revision: str = "web-1",
) -> Raw:
    state = {"running": {"startedAt": started}} if started else {"waiting": {"reason": "CrashLoopBackOff"}}
    conditions = [{"type": "Ready", "status": str(ready), "lastTransitionTime": BEFORE}]
    return {
        "metadata": {"name": name, "uid": f"u-{name}", "labels": {"controller-revision-hash": revision}},
        "spec": {"containers": [{"name": each} for each in containers]},
        "status": {
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [{"name": each, "ready": ready, "state": state} for each in containers],
        },
    }


def request(name: str, phase: str = "", *, states: tuple[str, ...] = ()) -> Raw:
    status: Raw = {"phase": phase} if phase else {}
    if phase == "Completed":
        status["completionTime"] = AFTER
        status["containerRecreateStates"] = [{"name": "app", "phase": each} for each in states]
    return {
        "metadata": {"name": name, "labels": {"crr.apps.kruise.io/pod-uid": f"u-{name}"}},
        "status": status,
    }


def wave(
    pods: list[Raw], requests: list[Raw] | None = None, *, limit: int = 1, replicas: int = 0, run: Run = RUN
) -> Wave:
    return plan_wave(workload(replicas or len(pods)), pods, requests or [], run, limit, NOW)


def chosen(found: Wave) -> list[str]:
    return [order.pod for order in found.chosen]


WAVES = [
    ("one at a time", [pod("a"), pod("b")], [], 1, ["a"]),
    ("as many as may be unavailable", [pod("a"), pod("b"), pod("c")], [], 2, ["a", "b"]),
    ("an open request counts even while the pod serves", [pod("a"), pod("b")], [request("a")], 1, []),
    ("who is not back yet counts", [pod("a", started=AFTER, ready=False), pod("b")], [request("a", "Completed", states=("Succeeded",))], 1, []),
    ("who is back makes room", [pod("a"), pod("b")], [request("a", "Completed", states=("Succeeded",))], 1, ["b"]),
    ("broken pods go first, at no further cost", [pod("a"), pod("b", ready=False)], [], 1, ["b"]),
    ("what started later is done", [pod("a", started=AFTER), pod("b")], [], 1, ["b"]),
    ("what started in the same second is not", [pod("a", started=SINCE)], [], 1, ["a"]),
    ("what does not run starts by itself", [pod("a", started="")], [], 1, []),
    ("one that failed is not asked for again", [pod("a"), pod("b")], [request("a", "Completed", states=("Failed",))], 1, ["b"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pods", "requests", "limit", "names"), [row[1:] for row in WAVES], ids=[row[0] for row in WAVES]
)
def test_the_next_pods(pods: list[Raw], requests: list[Raw], limit: int, names: list[str]) -> None:
    assert chosen(wave(pods, requests, limit=limit)) == names


def test_missing_pods_count_as_unavailable() -> None:
    assert chosen(wave([pod("a"), pod("b")], replicas=3)) == []


def test_only_the_chosen_containers_are_asked_for() -> None:
    found = wave(
        [pod("a", containers=("app", "proxy")), pod("b", containers=("other",))],
        run=Run("r1", ("app",), SINCE),
    )
    assert [(order.pod, order.containers) for order in found.chosen] == [("a", ("app",))]
    assert found.total == 1


def test_a_rollout_that_began_meanwhile_holds_the_rest() -> None:
    found = wave([pod("a"), pod("b", revision="web-0")])
    assert (found.chosen, found.held, found.stuck) == ((), True, False)


def test_nobody_to_make_room_is_stuck() -> None:
    assert wave([pod("a"), pod("b", started="", ready=False)]).stuck


def test_it_is_settled_when_all_are_back() -> None:
    done = request("a", "Completed", states=("Succeeded",))
    assert wave([pod("a")], [done]).settled
    assert not wave([pod("a", ready=False)], [done]).settled
    assert not wave([pod("a")], [request("a", "Recreating")]).settled


def test_a_pod_that_another_container_keeps_unready_is_not_waited_for() -> None:
    both = pod("a", containers=("app", "proxy"))
    both["status"]["conditions"][0]["status"] = "False"
    both["status"]["containerStatuses"][1]["ready"] = False
    found = wave([both], [request("a", "Completed", states=("Succeeded",))], run=Run("r1", ("app",), SINCE))
    assert found.settled


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=9),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_never_more_unavailable_than_allowed(
    made: list[tuple[bool, bool, bool]], limit: int, missing: int
) -> None:
    pods = [pod(f"p{at}", ready=up, started=AFTER if new else BEFORE) for at, (up, new, _) in enumerate(made)]
    asked = [request(f"p{at}") for at, (*_, under_way) in enumerate(made) if under_way]
    replicas = len(pods) + missing

    found = plan_wave(workload(replicas), pods, asked, RUN, limit, NOW)

    serving = {f"p{at}" for at, (up, _, under_way) in enumerate(made) if up and not under_way}
    already = replicas - len(serving)
    assert replicas - len(serving - set(chosen(found))) <= max(limit, already)
    assert not {order.pod for order in found.chosen} & {
        f"p{at}" for at, (*_, open_) in enumerate(made) if open_
    }


def test_a_run_begins_with_the_latest_start_among_its_containers() -> None:
    pods = [pod("a", started=BEFORE), pod("b", started=SINCE)]
    run = pick_run(workload(2), pods, [], 1)
    decision = plan_run(workload(2), pods, [], run, 1)

    assert (run.containers, run.since) == ((), SINCE)
    assert isinstance(decision, Change)
    assert decision.notes[0].startswith("restarts all containers of 2 pods in place, 1 at a time")
    assert pick_run(workload(2), pods, [], 1) == run  # who begins at the same time begins the same


def test_an_interrupted_run_is_taken_up() -> None:
    pods = [pod("a", started=AFTER), pod("b")]
    marked = workload(2, mark=MARK)
    run = pick_run(marked, pods, ["app"], 1)
    decision = plan_run(marked, pods, [], run, 1)

    assert run == Run("r1", ("app",), SINCE) == read_run(marked)
    assert isinstance(decision, Change)
    assert decision.notes[0] == "takes up an interrupted restart: 1 pod restarted already"


def test_one_that_was_killed_at_its_very_end_restarts_nothing_again() -> None:
    marked = workload(1, mark=MARK)
    run = pick_run(marked, [pod("a", started=AFTER)], ["app"], 1)
    assert chosen(wave([pod("a", started=AFTER)], run=run)) == []


def test_without_running_containers_there_is_nothing_to_do() -> None:
    run = pick_run(workload(1), [pod("a", started="")], [], 1)
    assert plan_run(workload(1), [pod("a", started="")], [], run, 1) == Unchanged(
        "no container of its pods runs"
    )


@pytest.mark.parametrize("mark", ["{", "[]", '{"run":"r"}', '"text"'])
def test_a_mark_that_cannot_be_read_counts_as_none(mark: str) -> None:
    assert read_run(workload(mark=mark)) is None


REFUSED: list[tuple[str, Workload, list[Raw], list[str], int, str]] = [
    ("paused", workload(paused=True), [pod("a")], [], 1, "it is paused"),
    ("no room", workload(maxUnavailable=0), [pod("a")], [], 0, "allows no unavailable pod"),
    ("a rollout", workload(), [pod("a", revision="web-0")], [], 1, "a rollout is under way"),
    ("other containers", workload(mark=MARK), [pod("a", containers=("app", "b"))], ["b"], 1, "was interrupted"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "pods", "names", "limit", "text"),
    [row[1:] for row in REFUSED],
    ids=[row[0] for row in REFUSED],
)
def test_what_may_not_be_restarted(
    target: Workload, pods: list[Raw], names: list[str], limit: int, text: str
) -> None:
    with pytest.raises(RefusedError, match=text):
        pick_run(target, pods, names, limit)


def test_a_container_that_is_not_there() -> None:
    with pytest.raises(NotFoundError, match='has no container "nope"'):
        pick_run(workload(), [pod("a")], ["app", "nope"], 1)


def test_pods_kept_old_by_partition_are_restarted_too() -> None:
    held = workload(2, partition=1)
    pods = [pod("a", revision="web-0"), pod("b")]
    assert [order.pod for order in plan_wave(held, pods, [], RUN, 1, NOW).chosen] == ["a"]


def test_requests_are_named_after_pod_and_run_and_never_live_for_ever() -> None:
    (order,) = wave([pod("a")]).chosen
    made = recreate_request(workload(), order, RUN)

    assert made["metadata"]["name"] == "a-r1"
    assert made["spec"] == {
        "podName": "a",
        "containers": [{"name": "app"}],
        "activeDeadlineSeconds": 600,
        "ttlSecondsAfterFinished": 600,
    }
    assert len(request_name("x" * 253, RUN)) == 253

"""The verdict, row by row: faults of other tools, and the rules of rollout-operations.md §3 and §9."""

import pytest

from kubectl_kruise.engine.counts import Counts, counts_of_status, target_of
from kubectl_kruise.engine.problems import Problem, ProblemKind
from kubectl_kruise.engine.verdict import Outcome, Pin, Until, deleted, judge, timed_out
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT
from kubectl_kruise.objects.workload import Workload

DONE, PROGRESSING, PAUSED, HELD, FAILED = (
    Outcome.DONE, Outcome.PROGRESSING, Outcome.PAUSED, Outcome.HELD, Outcome.FAILED,
)  # fmt: skip


def cloneset(
    *, replicas=10, generation=2, conditions=(), version="v1alpha1", strategy=None, status=None, **meta
):
    spec = {"replicas": replicas} if replicas is not None else {}
    if strategy:
        spec["updateStrategy"] = strategy
    raw = {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "CloneSet",
        "metadata": {"name": "web", "generation": generation, **meta},
        "spec": spec,
        "status": {**(status or {}), **({"conditions": list(conditions)} if conditions else {})},
    }
    return Workload(raw, CLONESET)


def status(observed=2, total=10, updated=10, ready=10, available=None, expected=None, **more):
    counters = {
        "observedGeneration": observed, "replicas": total, "updatedReplicas": updated, "updatedReadyReplicas": ready,
        "updatedAvailableReplicas": available, "expectedUpdatedReplicas": expected, **more,
    }  # fmt: skip
    return {key: value for key, value in counters.items() if value is not None}


IN_PLACE = {"type": "InPlaceIfPossible"}
EXCEEDED = {
    "type": "Progressing",
    "status": "False",
    "reason": "ProgressDeadlineExceeded",
    "message": "too late",
}

ROWS = [
    pytest.param(
        cloneset(strategy={**IN_PLACE, "partition": 0}, status=status(1)), PROGRESSING, "WaitingForObservation",
        id="fault B5: not observed, counters from before",
    ),
    pytest.param(
        cloneset(replicas=3, generation=5, strategy=IN_PLACE, status=status(4, 3, 3, 3)), PROGRESSING,
        "WaitingForObservation", id="fault B029: spec not yet observed (4 < 5)",
    ),
    pytest.param(
        cloneset(strategy=IN_PLACE, status=status(updated=0, ready=0)), PROGRESSING, "WaitingForPods",
        id="fault B5a: partition absent, none updated",
    ),
    pytest.param(
        cloneset(strategy=IN_PLACE, status=status(ready=4)), PROGRESSING, "WaitingForPods",
        id="fault B6: labels have moved, 4 of 10 ready",
    ),
    pytest.param(
        cloneset(strategy={"type": "ReCreate"}, status=status(updated=0, ready=0, readyReplicas=10)), PROGRESSING,
        "WaitingForPods", id="fault B7: all ready, all old",
    ),
    pytest.param(
        cloneset(strategy={**IN_PLACE, "partition": "30%"}, status=status(updated=3, ready=3)), PROGRESSING,
        "WaitingForPods", id="fault B8: 3 of 7",
    ),
    pytest.param(
        cloneset(strategy={**IN_PLACE, "paused": True}, status=status(updated=2, ready=2)), PAUSED, "Paused",
        id="fault B9: paused with 2 of 10",
    ),
    pytest.param(
        cloneset(strategy={"paused": True, "partition": 0}, status=status(updated=4, ready=4)), PAUSED, "Paused",
        id="fault B041: paused at 4 of 10",
    ),
    pytest.param(
        cloneset(replicas=3, version="v1beta1", strategy={"type": "OnDelete"}, status=status(2, 3, 0, 0, expected=3)),
        HELD, "OnDelete", id="fault B9e: OnDelete waits for somebody to delete",
    ),
    pytest.param(
        cloneset(
            replicas=3, version="v1beta1", strategy={"type": "OnDelete"}, status=status(2, 3, 1, 0, 0, expected=3)
        ),
        PROGRESSING, "WaitingForPods", id="OnDelete: a deleted pod's successor is awaited",
    ),
    pytest.param(
        cloneset(replicas=5, strategy={**IN_PLACE, "partition": 3}, status=status(2, 5, 2, 0, readyReplicas=3)),
        PROGRESSING, "WaitingForPods", id="fault B031: the canary is updated, none of it ready",
    ),
    pytest.param(
        cloneset(strategy={"partition": "40%"}, status=status(updated=3, ready=3)), PROGRESSING, "WaitingForPods",
        id="fault B033: 3 of 6",
    ),
    pytest.param(
        cloneset(strategy={"partition": "40%"}, status=status(updated=6, ready=6)), DONE, "PartitionReached",
        id="fault B033: 6 of 6, 4 kept old",
    ),
    pytest.param(
        cloneset(strategy={"partition": "95%"}, status=status(updated=1, ready=1)), DONE, "PartitionReached",
        id="fault B035: 95% of 10 keeps 9",
    ),
    pytest.param(
        cloneset(replicas=0, generation=1, status={"observedGeneration": 1}), DONE, "Available",
        id="fault B037: none of none",
    ),
    pytest.param(
        cloneset(replicas=None, generation=1, status={}), PROGRESSING, "WaitingForObservation",
        id="fault B039: no controller has looked",
    ),
    pytest.param(
        cloneset(replicas=None, generation=1, status=status(1, 1, 1, 1, 1, 1)), DONE, "Available",
        id="fault B039: absent replicas are one",
    ),
    pytest.param(
        cloneset(replicas=4, strategy={"partition": "100%"}, status=status(2, 4, 0, 0)), DONE, "PartitionReached",
        id="fault B047: 100% holds all",
    ),
    pytest.param(
        cloneset(replicas=4, strategy={"partition": "100.0%"}, status=status(2, 4, 0, 0)), PROGRESSING,
        "WaitingForPods", id="fault B047: 100.0% still updates one",
    ),
    pytest.param(
        cloneset(status=status(available=None, expected=10)), PROGRESSING, "WaitingForPods",
        id="a zero updatedAvailableReplicas is left out by today's manager",
    ),
    pytest.param(
        cloneset(status=status(available=10, expected=10)), DONE, "Available", id="all updated and available",
    ),
    pytest.param(
        cloneset(status=status(total=12, available=10, expected=10)), PROGRESSING, "WaitingForReplicas",
        id="surge pods are still there",
    ),
    pytest.param(
        cloneset(status=status(updated=3, ready=3), conditions=[EXCEEDED]), FAILED, "ProgressDeadlineExceeded",
        id="the controller gave up",
    ),
    pytest.param(
        cloneset(strategy={"paused": True}, status=status(updated=3, ready=3), conditions=[EXCEEDED]), PAUSED, "Paused",
        id="a paused rollout is paused, whatever the deadline said before",
    ),
    pytest.param(
        cloneset(
            status=status(updated=3, ready=3),
            conditions=[{"type": "FailedUpdate", "status": "True", "message": "object has been modified"}],
        ),
        PROGRESSING, "WaitingForPods", id="FailedUpdate is no failed rollout (cloneset.md §22.3)",
    ),
    pytest.param(
        cloneset(strategy={"paused": True}, status=status(available=10, expected=10)), DONE, "Available",
        id="paused but finished is done",
    ),
    pytest.param(
        cloneset(status=status(available=10, expected=10), deletionTimestamp="2026-01-01T00:00:00Z"),
        Outcome.DELETED, "BeingDeleted", id="an object being deleted is not rolled out any more",
    ),
    pytest.param(
        cloneset(
            version="v1beta1", strategy={"rollingUpdate": {"partition": 4, "paused": True}}, status=status(updated=6, ready=5)
        ),
        PAUSED, "Paused", id="v1beta1 keeps its switches one level deeper",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("workload", "outcome", "reason"), ROWS)
def test_cloneset_by_its_status(workload, outcome, reason):
    verdict = judge(workload, counts_of_status(workload))

    assert (verdict.outcome, verdict.reason) == (outcome, reason)


FINISHED = cloneset(status=status(available=10, expected=10, updateRevision="web-new"))


@pytest.mark.parametrize(
    ("counts", "reason", "message"),
    [
        pytest.param(
            Counts(10, 10, total=10, updated=9, updated_available=9, from_pods=True), "WaitingForPods",
            "9 of 10 pods updated", id="the status says finished, a pod carries another revision (undo)",
        ),
        pytest.param(
            Counts(10, 10, total=10, updated=10, updated_available=8, from_pods=True), "WaitingForPods",
            "8 of 10 updated pods are available", id="a pod fell out again",
        ),
        pytest.param(
            Counts(10, 10, total=11, updated=10, updated_available=10, from_pods=True), "WaitingForReplicas",
            "1 surplus pod still to go", id="an old pod is still there",
        ),
        pytest.param(
            Counts(10, 10, total=10, updated=10, updated_available=10, from_pods=True), "Available",
            "10 of 10 available on web-new", id="both agree",
        ),
    ],
)  # fmt: skip
def test_pods_have_the_first_word(counts, reason, message):
    verdict = judge(FINISHED, counts)

    assert (verdict.reason, verdict.message) == (reason, message)


REFUSED = {"status": "True", "message": 'pods "web-x" is forbidden: exceeded quota: small'}


@pytest.mark.parametrize("condition", ["FailedScale", "ReplicaFailure"])
def test_pods_that_the_server_refuses_are_named_as_the_reason(condition):
    workload = cloneset(status=status(total=7, updated=7), conditions=[{"type": condition, **REFUSED}])
    if condition == "ReplicaFailure":
        workload = Workload({**workload.raw, "apiVersion": "apps/v1", "kind": "Deployment"}, DEPLOYMENT)
    verdict = judge(workload, Counts(10, 10, total=7, updated=7, updated_available=7, from_pods=True))

    assert (verdict.outcome, verdict.reason) == (PROGRESSING, "CreationFails")
    assert REFUSED["message"] in verdict.message


def test_a_refusal_that_is_over_is_no_reason():
    over = {"type": "FailedScale", **REFUSED, "status": "False"}
    workload = cloneset(status=status(total=7, updated=7), conditions=[over])

    verdict = judge(workload, Counts(10, 10, total=7, updated=7, updated_available=7, from_pods=True))

    assert verdict.reason != "CreationFails"
    assert REFUSED["message"] not in verdict.message


@pytest.mark.parametrize(("updated", "ready", "both"), [(3, 5, 3), (5, 3, 3)])
def test_a_deployment_counts_no_more_updated_pods_ready_than_there_are(updated, ready, both):
    counters = {"replicas": 5, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready}
    raw = {"apiVersion": "apps/v1", "spec": {"replicas": 5}, "status": counters}

    counts = counts_of_status(Workload(raw, DEPLOYMENT))

    assert (counts.updated_ready, counts.updated_available) == (both, both)


def test_a_refusal_of_old_is_no_reason_once_all_pods_exist():  # cloneset.md §26 Q12
    workload = cloneset(status=status(), conditions=[{"type": "FailedScale", **REFUSED}])

    verdict = judge(workload, Counts(10, 10, total=10, updated=10, updated_available=8, from_pods=True))

    assert verdict.reason == "WaitingForPods"


def test_a_time_out_says_why_pods_are_missing():
    workload = cloneset(status=status(total=0, updated=0), conditions=[{"type": "FailedScale", **REFUSED}])
    counts = Counts(10, 10, from_pods=True)
    verdict = timed_out(counts, {}, [], 59.9655, judge(workload, counts))

    assert verdict.message == (
        "timed out after 60s: 0 of 10 available; 0 of 10 pods exist; creating one failed: "
        + REFUSED["message"]
    )


def test_status_has_the_last_word():
    lagging = cloneset(status=status(updated=4, ready=3, available=3, expected=10))

    verdict = judge(lagging, Counts(10, 10, total=10, updated=10, updated_available=10, from_pods=True))

    assert verdict.reason == "WaitingForStatus"
    assert verdict.message == "pods are ready; the status says 3 of 10 available"


def test_an_undo_under_a_partition_names_the_pods_left_behind():
    workload = cloneset(
        strategy={"partition": 6},
        status=status(updated=6, ready=6, available=6, expected=4, updateRevision="web-1"),
    )
    counts = Counts(10, 4, total=10, updated=6, updated_available=6, strays=(("web-2", 4),), from_pods=True)

    assert judge(workload, counts).message == (
        "6 of 6 available on web-1; 4 held by partition 6; 4 of them on web-2"
    )


@pytest.mark.parametrize(
    ("until", "outcome", "code"),
    [(None, DONE, 0), (Until.PARTITION, DONE, 0), (Until.DONE, HELD, 8), (Until.PAUSED, DONE, 0)],
)
def test_a_reached_partition_is_what_the_caller_asked_for_or_not(until, outcome, code):
    workload = cloneset(strategy={"partition": 4}, status=status(updated=6, available=6, expected=6))

    verdict = judge(workload, counts_of_status(workload), until=until)

    assert (verdict.outcome, verdict.exit_code) == (outcome, code)
    assert "4 held by partition 4" in verdict.message


@pytest.mark.parametrize(
    ("until", "code"), [(None, 8), (Until.DONE, 8), (Until.PARTITION, 8), (Until.PAUSED, 0)]
)
def test_paused_is_a_success_only_where_it_was_asked_for(until, code):
    workload = cloneset(strategy={"paused": True}, status=status(updated=4, ready=4))

    verdict = judge(workload, counts_of_status(workload), until=until)

    assert (verdict.outcome, verdict.exit_code) == (PAUSED, code)


def test_a_hopeless_pod_fails_an_unfinished_rollout_only():
    crash = Problem("web-a", "app", ProblemKind.CRASH, "CrashLoopBackOff", exit_code=1, restarts=3)
    unfinished = cloneset(status=status(updated=3, ready=2, available=2, expected=10))

    failed = judge(unfinished, counts_of_status(unfinished), hopeless=crash)

    assert failed.exit_code == 1
    assert failed.message == (
        "web-a app CrashLoopBackOff (3 restarts, exit 1); 3 of 10 pods updated, 2 available"
    )
    assert judge(FINISHED, counts_of_status(FINISHED), hopeless=crash).outcome is DONE


def test_a_pinned_revision_that_is_not_rolled_out_is_superseded():
    verdict = judge(FINISHED, counts_of_status(FINISHED), pin=Pin("99", matched=False))

    assert (verdict.outcome, verdict.exit_code) == (Outcome.SUPERSEDED, 6)
    assert verdict.message == "revision 99 is not what is rolled out: web-new is"
    assert judge(FINISHED, counts_of_status(FINISHED), pin=Pin("web-new", matched=True)).outcome is DONE


def deployment(*, replicas=3, observed=2, updated=3, total=3, available=3, paused=False, conditions=()):
    raw = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "generation": 2},
        "spec": {"replicas": replicas, "paused": paused},
        "status": {
            "observedGeneration": observed, "updatedReplicas": updated, "replicas": total,
            "availableReplicas": available, "conditions": list(conditions),
        },
    }  # fmt: skip
    return Workload(raw, DEPLOYMENT)


@pytest.mark.parametrize(
    ("workload", "outcome", "message"),
    [
        pytest.param(deployment(), DONE, "3 of 3 available", id="done"),
        pytest.param(
            deployment(observed=1), PROGRESSING, "generation 2 not observed yet (status is at 1)", id="not observed"
        ),
        pytest.param(deployment(updated=1), PROGRESSING, "1 of 3 pods updated", id="updating"),
        pytest.param(deployment(total=4), PROGRESSING, "1 old pod still to go", id="an old one left"),
        pytest.param(deployment(available=2), PROGRESSING, "2 of 3 updated pods are available", id="not available"),
        pytest.param(
            deployment(available=2, conditions=[EXCEEDED]), FAILED, "too late", id="deadline exceeded"
        ),
        pytest.param(
            deployment(updated=1, paused=True, available=3), PAUSED, "paused with 1 of 3 pods updated, 1 available",
            id="paused",
        ),
    ],
)  # fmt: skip
def test_deployment(workload, outcome, message):
    verdict = judge(workload, counts_of_status(workload))

    assert (verdict.outcome, verdict.message) == (outcome, message)


def test_new_pods_of_a_deployment_are_what_all_have_beyond_the_old_ones():
    failing = deployment(replicas=2, total=3, updated=1, available=2)
    done = deployment(replicas=2, total=2, updated=2, available=2)

    assert [counts_of_status(each).updated_available for each in (failing, done)] == [0, 2]


def test_a_timeout_says_what_was_missing():
    crash = Problem("web-c8zzt", "app", ProblemKind.CRASH, "CrashLoopBackOff")
    phases = {"waiting": 6, "hook": 0, "grace": 3, "available": 24, "failing": 1}

    verdict = timed_out(Counts(100, 40, updated_available=24), phases, [crash], 300)

    assert verdict.exit_code == 124
    assert verdict.message == (
        "timed out after 300s: 24 of 40 available; not yet: 6 waiting, 3 in grace, 1 failing (web-c8zzt app "
        "CrashLoopBackOff)"
    )


def test_a_deleted_object_is_never_the_success_of_its_successor():
    assert (deleted().exit_code, deleted().message) == (4, "was deleted")
    assert deleted("u2").message == "was deleted and was recreated as UID u2"


def test_old_pods_are_split_into_those_whose_turn_comes_and_those_held():
    counts = Counts(100, 40, total=100, updated=34, hooked_old=2)

    assert (counts.waiting, counts.held) == (4, 60)
    assert target_of(cloneset(replicas=100, strategy={"partition": "60%"}), 34) == 40


@pytest.mark.parametrize(("updated", "target"), [(0, 3), (3, 3), (5, 5), (6, 6), (7, 6)])
def test_pods_beyond_the_partition_that_are_updated_already_have_to_be_available_too(updated, target):
    seen, unseen = ({"observedGeneration": generation} for generation in (2, 1))

    assert target_of(cloneset(replicas=6, strategy={"partition": "50%"}, status=seen), updated) == target
    assert target_of(cloneset(replicas=6, strategy={"partition": "50%"}, status=unseen), updated) == 3


FORBIDDEN = 'pods "web-x" is forbidden: maximum cpu usage per Container is 300m, but limit is 400m'


@pytest.mark.parametrize(
    ("message", "updated", "reason"),
    [
        pytest.param(FORBIDDEN, 3, "UpdateFails", id="pods are left"),
        pytest.param(FORBIDDEN, 10, "WaitingForPods", id="all pods are updated"),
        pytest.param('pods "web-x": the object has been modified; try again', 3, "WaitingForPods", id="a lost race"),
    ],
)  # fmt: skip
def test_updates_that_the_server_refuses_are_named_as_the_reason(message, updated, reason):
    failed = {"type": "FailedUpdate", "status": "True", "message": message}
    workload = cloneset(status=status(total=10, updated=updated), conditions=[failed])

    verdict = judge(workload, Counts(10, 10, total=10, updated=updated, updated_available=3, from_pods=True))

    assert (verdict.outcome, verdict.reason) == (PROGRESSING, reason)
    assert (message in verdict.message) is (reason == "UpdateFails")

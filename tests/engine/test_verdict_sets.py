"""The verdict on Advanced StatefulSets, row by row: rollout-operations.md §4, advanced-statefulset.md §4, §18."""

from typing import Any

import pytest

from kubectl_kruise.engine.counts import Counts, counts_of_status
from kubectl_kruise.engine.standstill import no_update, unready_warning
from kubectl_kruise.engine.verdict import Outcome, Until, judge
from kubectl_kruise.objects.workload import Workload
from tests.engine.changes.workloads import advanced_set

DONE, PROGRESSING, PAUSED, HELD = Outcome.DONE, Outcome.PROGRESSING, Outcome.PAUSED, Outcome.HELD
REFUSED = {"type": "FailedCreatePod", "status": "True", "message": "pvc data-web-1 is to be deleted"}
STOPPED = {"type": "FailedUpdatePod", "status": "True", "message": "pod updates may not change fields"}


def seen(
    rolling: dict[str, Any] | None = None, *, spec: dict[str, Any] | None = None, **status: Any
) -> Workload:
    """Give a set of five pods, all updated, ready and available, but for what is said."""
    counters = dict.fromkeys(
        ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updatedReadyReplicas",
         "updatedAvailableReplicas"), 5,
    )  # fmt: skip
    whole: dict[str, Any] = {
        "observedGeneration": 1,
        "currentRevision": "web-b",
        "updateRevision": "web-b",
        **counters,
        **status,
    }
    return advanced_set(rolling=rolling, status=whole, **(spec or {}))


HALF: dict[str, Any] = {
    "updatedReplicas": 2,
    "updatedReadyReplicas": 2,
    "updatedAvailableReplicas": 2,
    "currentRevision": "web-a",
}
ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}


@pytest.mark.parametrize(
    ("workload", "outcome", "reason"),
    [
        pytest.param(seen(), DONE, "Available", id="§4: all there"),
        pytest.param(seen(observedGeneration=0), PROGRESSING, "WaitingForObservation", id="§4: not observed, ≠ 0"),
        pytest.param(
            seen({"partition": 5}, observedGeneration=0), PROGRESSING, "WaitingForObservation",
            id="§13 no. 7: the generation comes before the partition",
        ),
        pytest.param(seen(updatedReplicas=4), PROGRESSING, "WaitingForPods", id="§4: one not updated"),
        pytest.param(
            seen(readyReplicas=4, updatedReadyReplicas=4, availableReplicas=4, updatedAvailableReplicas=4), PROGRESSING,
            "WaitingForReplicas", id="§4: readyReplicas ≠ replicas",
        ),
        pytest.param(
            seen(availableReplicas=4, updatedAvailableReplicas=4), PROGRESSING, "WaitingForPods",
            id="§4: ready, and not yet for minReadySeconds",
        ),
        pytest.param(
            seen(updatedAvailableReplicas=3, updatedReadyReplicas=3), DONE, "Available",
            id="[ST-6]: counters of updated pods may be left as they were; the others tell",
        ),
        pytest.param(seen(replicas=6), PROGRESSING, "WaitingForReplicas", id="§4: one too many"),
        pytest.param(seen(currentRevision="web-a"), PROGRESSING, "WaitingForStatus", id="§4: currentRevision stays behind"),
        pytest.param(seen({"partition": 3}, **HALF), DONE, "PartitionReached", id="§4: the partition's target"),
        pytest.param(
            seen({"partition": 3}, **HALF, readyReplicas=4), PROGRESSING, "WaitingForReplicas",
            id="§4: ready are the kept ones, too",
        ),
        pytest.param(seen({"partition": 9}, **{**HALF, "updatedReplicas": 0}), DONE, "PartitionReached", id="frozen"),
        pytest.param(seen({"paused": True}, **HALF), PAUSED, "Paused", id="§4: paused"),
        pytest.param(seen({"paused": True}), DONE, "Available", id="paused, and nothing left to do"),
        pytest.param(seen(spec=ON_DELETE, **{**HALF, "updatedReplicas": 0, "updatedAvailableReplicas": 0}), HELD,
            "OnDelete", id="fault B9e: OnDelete, none updated",
        ),
        pytest.param(seen(spec=ON_DELETE, currentRevision="web-a"), DONE, "Available",
            id="[ST-4]: currentRevision never moves under OnDelete",
        ),
        pytest.param(
            seen(spec={"updateStrategy": {"type": "RollingUpdate"}}, updatedReplicas=0), PROGRESSING, "WaitingForPods",
            id="fault B9e: no rollingUpdate at all, past the webhook",
        ),
        pytest.param(seen(replicas=4, readyReplicas=4, conditions=[REFUSED]), PROGRESSING, "CreationFails", id="[E-4] create"),
        pytest.param(seen(readyReplicas=4, conditions=[STOPPED]), PROGRESSING, "UpdateFails", id="[E-4], §22 no. 7"),
        pytest.param(seen(conditions=[REFUSED, STOPPED]), DONE, "Available", id="§22 no. 12: conditions may be of before"),
    ],
)  # fmt: skip
def test_verdict(workload: Workload, outcome: Outcome, reason: str) -> None:
    verdict = judge(workload, counts_of_status(workload))

    assert (verdict.outcome, verdict.reason) == (outcome, reason)


def counted(updated: int, available: int, *, updated_available: int | None = None, hooked: int = 0) -> Counts:
    new = updated if updated_available is None else updated_available
    return Counts(5, 5, 5, updated, new, new, available, available, hooked_old=hooked, from_pods=True)


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (
            seen({"partition": 3}, **HALF),
            "2 of 2 available on web-b; 3 held by partition 3 (web-0, web-1, web-2)",
        ),
        (
            seen({"partition": 3}, spec={"reserveOrdinals": [0, "2-3"]}, **HALF),
            "2 of 2 available on web-b; 3 held by partition 3 (web-1, web-4, web-5)",
        ),
        (
            seen({"partition": 3, "unorderedUpdate": {}}, **HALF),
            "2 of 2 available on web-b; 3 held by partition 3",
        ),
        (
            seen({"partition": 3}, spec={"ordinals": {"start": 7}}, **HALF),
            "2 of 2 available on web-b; 3 held by partition 3",
        ),
    ],
    ids=["lowest ordinals", "[S-3]: ranks, not ordinals", "[O-2]: any", "its gate is not known"],
)
def test_the_kept_pods_are_named(workload: Workload, message: str) -> None:
    assert judge(workload, counts_of_status(workload)).message == message
    assert judge(workload, counts_of_status(workload), until=Until.DONE).outcome is HELD


ORDERED = {"podManagementPolicy": "OrderedReady"}


@pytest.mark.parametrize(
    ("workload", "counts", "why"),
    [
        (seen(), counted(1, 4), "1 old pod is not available (maxUnavailable 1): no other is updated until it is, or"),
        (seen({"maxUnavailable": 2}), counted(1, 4), ""),
        (seen({"maxUnavailable": "20%"}), counted(0, 4), "1 old pod is not available (maxUnavailable 20%): no other"),
        (seen({"maxUnavailable": "39%"}), counted(0, 4), "1 old pod is not available (maxUnavailable 39%): no other"),
        (seen(), counted(1, 4, updated_available=0), ""),
        (seen(spec=ORDERED), counted(0, 4), "1 old pod is not available: OrderedReady goes on when it is, or is"),
        (seen(), counted(0, 4, hooked=1), "1 pod held by its hook counts as unavailable (maxUnavailable 1), so no"),
        (seen(spec=ORDERED), counted(0, 4, hooked=1), "a pod held by its inPlaceUpdate hook is never updated under"),
    ],
    ids=[
        "§22 no. 1", "room is left", "shares count", "[P-54]: rounded down", "an updated one is on its way",
        "[P-25]", "hooks use it up", "§22 no. 4",
    ],
)  # fmt: skip
def test_why_no_other_pod_is_updated(workload: Workload, counts: Counts, why: str) -> None:
    found = no_update(
        workload, total=counts.total, available=counts.available, hooked=counts.hooked_old, waiting=counts.waiting,
        unwell=counts.unwell,
    )  # fmt: skip

    assert found.startswith(why)
    assert bool(found) == bool(why)


@pytest.mark.parametrize(
    ("workload", "warned"),
    [
        (seen(), False),
        (seen(readyReplicas=4), True),
        (seen({"maxUnavailable": 2}, readyReplicas=4), False),
        (seen(spec=ORDERED, readyReplicas=4), True),
        (seen(spec=ON_DELETE, readyReplicas=4), False),
        (seen({"maxUnavailable": 2}, readyReplicas=3, updatedReplicas=2, updatedReadyReplicas=0), False),
        (seen({"maxUnavailable": 2}, readyReplicas=3, updatedReplicas=3, updatedReadyReplicas=1), True),
        (seen({"maxUnavailable": 2}, readyReplicas=3, updatedReplicas=2, updatedReadyReplicas=2), True),
        (
            seen(
                {"maxUnavailable": 2, "unorderedUpdate": {}},
                readyReplicas=3,
                updatedReplicas=2,
                updatedReadyReplicas=0,
            ),
            True,
        ),
        (seen(readyReplicas=0, updatedReadyReplicas=0), False),
    ],
    ids=[
        "all ready",
        "§22 no. 1",
        "room is left",
        "[P-25]",
        "nothing is updated anyway",
        "[P-58]: the broken ones are those that come first",
        "one that is ready may come before them",
        "the broken ones are old: others come before",
        "nobody knows which come first",
        "all are broken: none waits",
    ],
)
def test_a_new_template_warns_of_pods_in_its_way(workload: Workload, warned: bool) -> None:
    assert bool(unready_warning(workload)) is warned

"""What rollouts and scaling wait for by rules that surprise (cloneset.md §26)."""

from typing import Any

import pytest

from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.standstill import no_removal, no_update
from kubectl_kruise.engine.verdict import Outcome, judge
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.workload import Workload


def cloneset(replicas: int = 8, version: str = "v1alpha1", **strategy: Any) -> Workload:
    raw = {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "CloneSet",
        "metadata": {"name": "web", "generation": 2},
        "spec": {"replicas": replicas, "updateStrategy": {"type": "InPlaceIfPossible", **strategy}},
        "status": {"observedGeneration": 2, "replicas": replicas, "updatedReplicas": 0},
    }
    return Workload(raw, CLONESET)


NONE = "no pod can be updated: maxUnavailable {} counts as 0, and there is no surge"
ONE = "1 pod held by its hook counts as unavailable (maxUnavailable 1), so no other begins"
TWO = "2 pods held by their hook count as unavailable (maxUnavailable 2), so no other begins"


@pytest.mark.parametrize(
    ("workload", "pods", "expected"),
    [
        pytest.param(cloneset(maxUnavailable="12.5%"), {}, NONE.format("12.5%"), id="Q4, ex. 32: decimals count as 0"),
        pytest.param(cloneset(maxUnavailable="12%"), {}, "", id="Q4: whole percentages are rounded up"),
        pytest.param(cloneset(maxUnavailable="12.5%", maxSurge=1), {}, "", id="Q4: a surge moves on"),
        pytest.param(cloneset(0, maxUnavailable="12.5%"), {}, "", id="Q4: no pods, nothing to tell"),
        pytest.param(cloneset(version="v1beta1", type="OnDelete"), {}, "", id="OnDelete: deletion is awaited"),
        pytest.param(cloneset(maxUnavailable=1), {"hooked": 1, "available": 7}, ONE, id="Q22: one hook, budget of one"),
        pytest.param(cloneset(maxUnavailable=2), {"hooked": 2, "available": 6}, TWO, id="Q22: two of two"),
        pytest.param(cloneset(maxUnavailable=2), {"hooked": 1, "available": 7}, "", id="Q22: room for another"),
        pytest.param(
            cloneset(maxUnavailable=1), {"hooked": 1, "available": 7, "waiting": 0}, "", id="Q22: nobody waits"
        ),
        pytest.param(
            cloneset(maxUnavailable=1), {"hooked": 1, "available": 8, "total": 9}, "", id="Q22: a surplus pod gives room"
        ),
    ],
)  # fmt: skip
def test_why_no_pod_is_updated(workload: Workload, pods: dict[str, int], expected: str) -> None:
    numbers = {"total": 8, "available": 8, "hooked": 0, "waiting": 5} | pods

    assert no_update(workload, **numbers) == expected


@pytest.mark.parametrize(
    ("desired", "total", "chosen", "expected"),
    [
        pytest.param(
            6, 5, 1, "1 pod chosen for deletion stays until the missing ones are made", id="Q6, ex. 4"
        ),
        pytest.param(
            6, 4, 2, "2 pods chosen for deletion stay until the missing ones are made", id="Q6: two"
        ),
        pytest.param(3, 5, 1, "no other goes before the 1 chosen for deletion", id="Q7: scale-in waits"),
        pytest.param(3, 5, 2, "", id="the chosen are the surplus"),
        pytest.param(3, 5, 0, "", id="plain scale-in"),
        pytest.param(6, 5, 0, "", id="plain scale-out"),
    ],
)
def test_why_pods_stay(desired: int, total: int, chosen: int, expected: str) -> None:
    assert no_removal(desired=desired, total=total, chosen=chosen) == expected


@pytest.mark.parametrize(
    ("workload", "counts", "message"),
    [
        pytest.param(
            cloneset(maxUnavailable="12.5%"), Counts(8, 8, total=8, available=8), f"0 of 8 pods updated; {NONE.format('12.5%')}",
            id="Q4",
        ),
        pytest.param(
            cloneset(maxUnavailable=1), Counts(8, 8, total=8, available=7, hooked_old=1), f"0 of 8 pods updated; {ONE}",
            id="Q22",
        ),
        pytest.param(
            cloneset(3), Counts(3, 3, total=5, updated=5, updated_available=5, available=5, chosen=1),
            "2 surplus pods still to go; no other goes before the 1 chosen for deletion", id="Q7",
        ),
        pytest.param(
            cloneset(3), Counts(3, 2, total=2, updated=2, updated_available=2, available=2, chosen=1),
            "2 of 3 pods exist; 1 pod chosen for deletion stays until the missing ones are made", id="Q6",
        ),
    ],
)  # fmt: skip
def test_the_verdict_tells_it(workload: Workload, counts: Counts, message: str) -> None:
    verdict = judge(workload, counts._replace(from_pods=True))

    assert (verdict.outcome, verdict.message) == (Outcome.PROGRESSING, message)

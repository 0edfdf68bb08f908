"""Rollouts that missing pods hold up (cloneset.md §26 Q23)."""

from typing import Any

import pytest

from kubectl_kruise.engine.counts import Counts
from kubectl_kruise.engine.starvation import starved
from kubectl_kruise.engine.verdict import Outcome, judge
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.workload import Workload


def cloneset(scale: Any, unavailable: Any = 1) -> Workload:
    spec = {
        "replicas": 6,
        "scaleStrategy": {} if scale is None else {"maxUnavailable": scale},
        "updateStrategy": {"type": "InPlaceIfPossible", "maxUnavailable": unavailable},
    }
    raw = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "web", "generation": 2},
        "spec": spec,
        "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 0},
    }
    return Workload(raw, CLONESET)


TEXT = (
    "no pod can be updated: 3 of 6 are missing and not made while 2 are unavailable "
    "(scaleStrategy.maxUnavailable); scale down to what is there to go on"
)


@pytest.mark.parametrize(
    ("scale", "unavailable", "total", "available", "expected"),
    [
        (2, 1, 3, 1, TEXT),
        ("33%", 3, 3, 1, TEXT),
        (None, 1, 3, 1, ""),
        (3, 1, 3, 1, ""),
        (2, 4, 3, 1, ""),
        (2, 1, 6, 4, ""),
    ],
    ids=[
        "stuck",
        "by percentage",
        "no limit",
        "more may be made",
        "maxUnavailable is enough",
        "all are there",
    ],
)
def test_when_missing_pods_hold_an_update_up(
    scale: Any, unavailable: Any, total: int, available: int, expected: str
) -> None:
    assert starved(cloneset(scale, unavailable), total=total, available=available) == expected


def test_the_verdict_tells_so() -> None:
    counts = Counts(desired=6, target=6, total=3, available=1, from_pods=True)

    verdict = judge(cloneset(2), counts)

    assert (verdict.outcome, verdict.reason) == (Outcome.PROGRESSING, "WaitingForPods")
    assert verdict.message == f"0 of 6 pods updated; {TEXT}"

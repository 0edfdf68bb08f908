"""What `rollout status` shows of Advanced StatefulSets: their strategy, and the pods that a partition keeps (cli.md §4.1)."""

from typing import Any

import pytest

from kubectl_kruise.operations.rollout.progress import Aim, Progress
from kubectl_kruise.views.spans import plain
from kubectl_kruise.views.status.record import status_record
from kubectl_kruise.views.status.screen import status_screen
from kubectl_kruise.views.text import symbols
from tests.engine.changes.workloads import advanced_set

NOW = 1_767_225_600.0
STATUS = {
    "observedGeneration": 1, "replicas": 5, "readyReplicas": 5, "availableReplicas": 5, "updatedReplicas": 2,
    "updatedReadyReplicas": 2, "updatedAvailableReplicas": 2, "currentRevision": "web-a", "updateRevision": "web-b",
}  # fmt: skip


def progress(rolling: dict[str, Any], **spec: Any) -> Progress:
    workload = advanced_set(rolling=rolling, status=STATUS, **spec)
    return Progress(workload.kind, workload.raw, Aim(), NOW, lookup=lambda _: None)


@pytest.mark.parametrize(
    ("rolling", "spec", "target"),
    [
        ({"partition": 3}, {}, "2 of 5 pods (partition 3: web-0, web-1, web-2)  at most 1 unavailable"),
        (
            {"partition": 3, "unorderedUpdate": {}, "maxUnavailable": "50%"}, {},
            "2 of 5 pods (partition 3)       at most 2 unavailable, unordered",
        ),
        (
            {"minReadySeconds": 9}, {"podManagementPolicy": "OrderedReady"},
            "5 of 5 pods                     at most 1 unavailable, one by one, ready for 9s",
        ),
    ],
    ids=["a partition by ordinals", "one by number", "one by one"],
)  # fmt: skip
def test_the_head_of_the_screen(rolling: dict[str, Any], spec: dict[str, Any], target: str) -> None:
    snapshot = progress(rolling, **spec).snapshot(NOW)
    lines = plain(status_screen([snapshot], symbols(unicode=False), width=120)).splitlines()

    assert lines[0].startswith("Advanced StatefulSet shop/web ")
    assert [line.strip() for line in lines if line.startswith("target ")] == [f"target    {target}"]


def test_the_record_has_the_ordinals_that_are_kept() -> None:
    kept = status_record(progress({"partition": 2}, reserveOrdinals=[1]).snapshot(NOW))["strategy"][
        "partition"
    ]
    unordered = status_record(progress({"partition": 2, "unorderedUpdate": {}}).snapshot(NOW))["strategy"][
        "partition"
    ]

    assert kept == {"value": 2, "pods": 2, "ordinals": [0, 2]}
    assert unordered == {"value": 2, "pods": 2}

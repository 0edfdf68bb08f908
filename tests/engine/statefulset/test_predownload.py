"""Images pulled ahead for a set (advanced-statefulset.md §17)."""

from typing import Any

import pytest

from kubectl_kruise.engine.predownload import Mark, plan_predownload
from kubectl_kruise.engine.revisions.content import revision_data
from kubectl_kruise.engine.statefulset.predownload import rollout_of
from tests.engine.statefulset.builders import TEMPLATE, statefulset

PREFIX = "apps.kruise.io/image-predownload-"


def _revision(name: str, image: str) -> dict[str, Any]:
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "containers": [{"name": "main", "image": image}]}}
    labels = {"controller.kubernetes.io/hash": name}
    return {"metadata": {"name": f"web-{name}", "labels": labels}, "data": revision_data(template)}


OLD, NEW = _revision("r1", "a:1"), _revision("r2", "a:2")


@pytest.mark.parametrize(
    ("text", "annotations", "ready", "expected"),
    [
        pytest.param("PA n 5 InPlaceIfPossible", {}, 0, Mark.MADE, id="G-3"),
        pytest.param("PA n 3 InPlaceIfPossible", {}, 0, Mark.IGNORED, id="G-2 three replicas"),
        pytest.param("PA n 5", {}, 0, Mark.IGNORED, id="G-2 ReCreate"),
        pytest.param("PA n 5 mu 100% InPlaceIfPossible", {}, 0, Mark.IGNORED, id="G-2 all at once"),
        pytest.param("PA n 5 mu 100% part 1 InPlaceIfPossible", {}, 0, Mark.MADE, id="G-2 not with a partition"),
        pytest.param("PA n 5 InPlaceIfPossible", {"min-updated-ready-pods": "21%"}, 1, None, id="G-1 ceil"),
        pytest.param("PA n 5 InPlaceIfPossible", {"min-updated-ready-pods": "21%"}, 2, Mark.MADE, id="G-1 reached"),
        pytest.param("PA n 5 InPlaceIfPossible", {"min-updated-ready-pods": "x"}, 0, Mark.MADE, id="G-1 unreadable"),
    ],
)  # fmt: skip
def test_when_images_are_pulled(
    text: str, annotations: dict[str, str], ready: int, expected: Mark | None
) -> None:
    meta = {"annotations": {PREFIX + name: value for name, value in annotations.items()}}
    view = statefulset(text, meta=meta, status={"updateRevision": "web-r2", "updatedReadyReplicas": ready})
    plan = plan_predownload(rollout_of(view), OLD, NEW)

    assert (plan.mark if plan else None) == expected


def test_the_job() -> None:
    """[G-3], with the settings of the annotations; the fields of the spec are not consulted ([G-5])."""
    meta = {"annotations": {f"{PREFIX}parallelism": "4", f"{PREFIX}timeout-seconds": "60"}}
    rolling = {"inPlaceUpdateStrategy": {"imagePreDownloadParallelism": 9}}
    view = statefulset("PA n 5 InPlaceIfPossible", meta=meta, rolling=rolling)
    plan = plan_predownload(rollout_of(view), OLD, NEW)

    assert plan is not None
    (job,) = plan.jobs
    assert job["metadata"]["name"] == "web-r2-main"
    assert job["metadata"]["ownerReferences"][0]["kind"] == "StatefulSet"
    assert job["spec"]["parallelism"] == 4
    assert job["spec"]["pullPolicy"] == {"backoffLimit": 1, "timeoutSeconds": 60}
    assert job["spec"]["podSelector"]["matchExpressions"][-1]["values"] == ["web-r2", "r2"]

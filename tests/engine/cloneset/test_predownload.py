"""Images pulled ahead of an in-place update (cloneset.md §23)."""

from typing import Any

import pytest

from kubectl_kruise.engine.cloneset.predownload import read_settings, rollout_of
from kubectl_kruise.engine.cloneset.view import CloneSet, read_cloneset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.predownload import Mark, Predownload
from kubectl_kruise.engine.predownload import plan_predownload as plan_of_rollout
from kubectl_kruise.engine.revisions.content import revision_data

PARALLELISM = "apps.kruise.io/image-predownload-parallelism"
TIMEOUT = "apps.kruise.io/image-predownload-timeout-seconds"
READY = "apps.kruise.io/image-predownload-min-updated-ready-pods"


def template(*images: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers, **spec}}


def revision(number: int, *images: str, **labels: str) -> dict[str, Any]:
    name = f"web-h{number}"
    return {
        "metadata": {"name": name, "labels": {"controller.kubernetes.io/hash": f"h{number}", **labels}},
        "data": revision_data(template(*images)),
    }


def cloneset(
    *, replicas: int = 5, status: Any = None, annotations: Any = None, secrets: Any = (), **strategy: Any
) -> CloneSet:
    return read_cloneset(
        {
            "apiVersion": "apps.kruise.io/v1alpha1",
            "metadata": {"name": "web", "namespace": "shop", "uid": "u", "annotations": annotations or {}},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": "web"}},
                "template": template("a:2", "b:1", imagePullSecrets=[{"name": name} for name in secrets]),
                "updateStrategy": {"type": "InPlaceIfPossible", "partition": replicas, **strategy},
            },
            "status": status or {},
        },
        Gates(image_predownload=True),
    )


def plan_predownload(view: CloneSet, current: dict[str, Any], update: dict[str, Any]) -> Predownload | None:
    return plan_of_rollout(rollout_of(view), current, update)


OLD, NEW = revision(1, "a:1", "b:1"), revision(2, "a:2", "b:1")


def test_a_job_per_container_whose_image_changes() -> None:
    plan = plan_predownload(cloneset(secrets=["pull"]), OLD, NEW)

    assert plan is not None
    assert plan.mark is Mark.MADE
    (job,) = plan.jobs
    labels = {"app": "web", "controller.kubernetes.io/hash": "h2"}
    assert job["metadata"]["name"] == "web-h2-c0"
    assert job["metadata"]["labels"] == labels
    assert job["spec"] == {
        "image": "a:2",
        "podSelector": {
            "matchLabels": {"app": "web"},
            "matchExpressions": [
                {"key": "controller-revision-hash", "operator": "NotIn", "values": ["web-h2", "h2"]}
            ],
        },
        "parallelism": 1,
        "pullPolicy": {"backoffLimit": 1, "timeoutSeconds": 300},
        "completionPolicy": {"type": "Always", "ttlSecondsAfterFinished": 600},
        "sandboxConfig": {"labels": labels},
        "pullSecrets": ["pull"],
    }


@pytest.mark.parametrize(
    ("view", "old", "new", "mark", "jobs"),
    [
        pytest.param(cloneset(type="ReCreate"), OLD, NEW, Mark.IGNORED, 0, id="pods are recreated"),
        pytest.param(cloneset(replicas=3), OLD, NEW, Mark.IGNORED, 0, id="three replicas"),
        pytest.param(cloneset(replicas=4), OLD, NEW, Mark.MADE, 1, id="four replicas"),
        pytest.param(
            cloneset(partition=0, maxUnavailable="100%"), OLD, NEW, Mark.IGNORED, 0, id="all at once"
        ),
        pytest.param(
            cloneset(partition=0, maxUnavailable="99%"),
            OLD,
            NEW,
            Mark.MADE,
            1,
            id="all but one: rounded down",
        ),
        pytest.param(
            cloneset(partition=1, maxUnavailable="100%"), OLD, NEW, Mark.MADE, 1, id="a partition holds back"
        ),
        pytest.param(cloneset(), OLD, revision(2, "a:1", "b:1", "c:1"), Mark.IGNORED, 0, id="not in place"),
        pytest.param(cloneset(paused=True), OLD, NEW, Mark.MADE, 1, id="paused rollouts get jobs, too"),
        pytest.param(cloneset(), OLD, OLD, Mark.MADE, 0, id="no image changes: marked without a job"),
    ],
)
def test_the_decision_is_made_once_and_marked(
    view: CloneSet, old: Any, new: Any, mark: Mark, jobs: int
) -> None:
    plan = plan_predownload(view, old, new)

    assert plan is not None
    assert (plan.mark, len(plan.jobs)) == (mark, jobs)


@pytest.mark.parametrize("mark", list(Mark))
def test_what_is_marked_is_decided(mark: Mark) -> None:
    assert plan_predownload(cloneset(), OLD, revision(2, "a:2", "b:1", **{mark.value: "true"})) is None


@pytest.mark.parametrize(
    ("status", "decided"),
    [
        ({"updateRevision": "web-h2", "updatedReadyReplicas": 2}, True),
        ({"updateRevision": "web-h2", "updatedReadyReplicas": 1}, False),
        ({"updateRevision": "web-h1", "updatedReadyReplicas": 5}, False),
        ({}, False),
    ],
    ids=["enough", "too few", "ready pods of another revision", "no status"],
)
def test_only_after_some_updated_pods_are_ready(status: Any, *, decided: bool) -> None:
    view = cloneset(annotations={READY: "2"}, status=status)

    assert (plan_predownload(view, OLD, NEW) is not None) is decided


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, (1, 300, 0)),
        ({PARALLELISM: "4", TIMEOUT: "60", READY: "2"}, (4, 60, 2)),
        ({PARALLELISM: "0", TIMEOUT: "-5"}, (0, -5, 0)),
        ({PARALLELISM: "10%", TIMEOUT: "1m", READY: "many"}, (1, 300, 0)),
        ({READY: "30%"}, (1, 300, 2)),
        ({TIMEOUT: "2147483648"}, (1, 300, 0)),
    ],
    ids=["nothing", "numbers", "zero and negative ones", "unreadable", "a share, rounded up", "beyond int32"],
)
def test_settings_of_annotations(annotations: dict[str, str], expected: tuple[int, int, int]) -> None:
    assert tuple(read_settings(cloneset(annotations=annotations))) == expected


def test_settings_of_fields() -> None:
    in_place = {"imagePreDownloadParallelism": "5", "imagePreDownloadMinUpdatedReadyPods": 1}
    raw = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "metadata": {"name": "web", "annotations": {PARALLELISM: "9"}},
        "spec": {"updateStrategy": {"rollingUpdate": {"inPlaceUpdateStrategy": in_place}}},
    }

    assert tuple(read_settings(read_cloneset(raw))) == ("5", 300, 1)

"""Carrying in-place updates out, byte for byte (cloneset.md §17, §18, §28 ex. 35–41)."""

import base64
import json
from typing import Any

import pytest

from kubectl_kruise.engine.inplace.batch import apply_next
from kubectl_kruise.engine.inplace.change import Change, grace_text, parse_grace
from kubectl_kruise.engine.inplace.completion import containers_complete, outdated_containers, pod_complete
from kubectl_kruise.engine.inplace.execution import Refresh, plan_refresh
from kubectl_kruise.engine.inplace.readiness import close_gate, open_gate, opened
from kubectl_kruise.engine.inplace.state import State, parse_state, state_text
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.condition import condition
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from tests.engine.inplace.starting import start_update

STATE = "apps.kruise.io/inplace-update-state"
GRACE = "apps.kruise.io/inplace-update-grace"
META = "apps.kruise.io/runtime-containers-meta"
START = parse_rfc3339("2024-05-01T10:00:00Z") or 0.0
REVISION = "demo-5b54ff9d4d"


def barrier(priority: int | None) -> list[dict[str, Any]]:
    key = {"valueFrom": {"configMapKeyRef": {"name": "x-barrier", "key": f"p_{priority}"}}}
    return [] if priority is None else [{"name": "KRUISE_CONTAINER_BARRIER", **key}]


def pod(*containers: tuple[str, str, int | None], gate: bool = True) -> dict[str, Any]:
    """Containers are (name, image, launch priority); imageIDs are `id-of-<image>`."""
    return {
        "metadata": {
            "name": "demo-abc",
            "uid": "u",
            "labels": {
                "app": "demo",
                "controller-revision-hash": "demo-old",
                "lifecycle.apps.kruise.io/state": "Normal",
            },
            "annotations": {"keep": "me"},
        },
        "spec": {
            "containers": [
                {"name": name, "image": image, "env": barrier(priority)}
                for name, image, priority in containers
            ],
            "readinessGates": [{"conditionType": "InPlaceUpdateReady"}] if gate else [],
        },
        "status": {
            "phase": "Running",
            "conditions": [
                {"type": "ContainersReady", "status": "True"},
                {"type": "Ready", "status": "True", "lastTransitionTime": "2024-05-01T09:00:00Z"},
                {
                    "type": "InPlaceUpdateReady",
                    "status": "True",
                    "lastTransitionTime": "2024-05-01T09:00:00Z",
                },
            ],
            "containerStatuses": [
                {"name": name, "image": image, "imageID": f"id-of-{image}", "ready": True}
                for name, image, _ in containers
            ],
        },
    }


def restarted(pod: dict[str, Any], *names: str, ready: bool = True) -> dict[str, Any]:
    """The pod once its kubelet runs the images of the spec in the containers named."""
    images = {container["name"]: container["image"] for container in pod["spec"]["containers"]}
    statuses = [
        {
            **status,
            "image": images[status["name"]],
            "imageID": f"id-of-{images[status['name']]}",
            "ready": ready,
        }
        if status["name"] in names
        else status
        for status in pod["status"]["containerStatuses"]
    ]
    return {**pod, "status": {**pod["status"], "containerStatuses": statuses}}


def images_of(pod: dict[str, Any]) -> dict[str, str]:
    return {container["name"]: container["image"] for container in pod["spec"]["containers"]}


def test_simple_image_update() -> None:  # ex. 35
    before = pod(("c1", "a:1", None))

    after = start_update(before, Change(REVISION, images={"c1": "a:2"}), START)

    labels = after["metadata"]["labels"]
    assert (labels["controller-revision-hash"], labels["pod-template-hash"]) == (REVISION, "5b54ff9d4d")
    assert labels["lifecycle.apps.kruise.io/state"] == "Updating"
    assert images_of(after) == {"c1": "a:2"}
    assert after["metadata"]["annotations"] == {
        "keep": "me",
        "lifecycle.apps.kruise.io/timestamp": "2024-05-01T10:00:00Z",
        STATE: '{"revision":"demo-5b54ff9d4d","updateTimestamp":"2024-05-01T10:00:00Z",'
        '"lastContainerStatuses":{"c1":{"imageID":"id-of-a:1"}},"updateImages":true,'
        '"containerBatchesRecord":[{"timestamp":"2024-05-01T10:00:00Z","containers":["c1"]}]}',
    }
    assert images_of(before) == {"c1": "a:1"}
    assert not pod_complete(after)
    assert pod_complete(restarted(after, "c1"))


def test_gate_closes_and_takes_ready_along() -> None:  # §17.1
    closed = close_gate(pod(("c1", "a:1", None)), "2024-05-01T10:00:00Z")

    assert condition(closed, "InPlaceUpdateReady") == {
        "type": "InPlaceUpdateReady",
        "status": "False",
        "lastTransitionTime": "2024-05-01T10:00:00Z",
        "reason": "StartInPlaceUpdate",
    }
    assert condition(closed, "Ready") == {
        "type": "Ready",
        "status": "False",
        "lastTransitionTime": None,
        "reason": "ReadinessGatesNotReady",
        "message": 'the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False',
    }
    assert opened(open_gate(closed, "2024-05-01T10:00:05Z"))


def test_first_of_two_batches_then_the_second() -> None:  # §17.5
    change = Change(REVISION, images={"proxy": "envoy:2", "main": "nginx:1.26"})

    first = start_update(pod(("proxy", "envoy:1", 10), ("main", "nginx:1.25", 0)), change, START)

    assert first["metadata"]["annotations"][STATE] == (
        '{"revision":"demo-5b54ff9d4d","updateTimestamp":"2024-05-01T10:00:00Z","lastContainerStatuses":'
        '{"proxy":{"imageID":"id-of-envoy:1"}},"updateImages":true,"nextContainerImages":{"main":"nginx:1.26"},'
        '"preCheckBeforeNext":{"containersRequiredReady":["proxy"]},"containerBatchesRecord":'
        '[{"timestamp":"2024-05-01T10:00:00Z","containers":["proxy"]}]}'
    )
    assert images_of(first) == {"proxy": "envoy:2", "main": "nginx:1.25"}

    second = plan_refresh(restarted(first, "proxy"), START + 41).pod

    assert second is not None
    assert second["metadata"]["annotations"][STATE] == (
        '{"revision":"demo-5b54ff9d4d","updateTimestamp":"2024-05-01T10:00:00Z","lastContainerStatuses":'
        '{"main":{"imageID":"id-of-nginx:1.25"},"proxy":{"imageID":"id-of-envoy:1"}},"updateImages":true,'
        '"containerBatchesRecord":[{"timestamp":"2024-05-01T10:00:00Z","containers":["proxy"]},'
        '{"timestamp":"2024-05-01T10:00:41Z","containers":["main"]}]}'
    )


def test_three_priorities_one_after_the_other() -> None:  # ex. 38
    change = Change(REVISION, images={"c1": "a:2", "c2": "b:2", "c4": "d:2"})
    one = start_update(pod(("c1", "a:1", 20), ("c2", "b:1", 10), ("c4", "d:1", 0)), change, START)
    batches = [images_of(one)]
    for name in ("c1", "c2"):
        one = plan_refresh(restarted(one, name), START).pod or {}
        batches.append(images_of(one))

    assert batches == [
        {"c1": "a:2", "c2": "b:1", "c4": "d:1"},
        {"c1": "a:2", "c2": "b:2", "c4": "d:1"},
        {"c1": "a:2", "c2": "b:2", "c4": "d:2"},
    ]
    state = parse_state(one["metadata"]["annotations"][STATE])
    assert [batch.containers for batch in state.batches] == [("c1",), ("c2",), ("c4",)]
    assert state.last == {"c1": "id-of-a:1", "c2": "id-of-b:1", "c4": "id-of-d:1"}


def test_an_image_id_once_recorded_stays() -> None:  # §17.3
    state = State(REVISION, START, last={"c1": "of-long-ago"}, next_images={"c1": "a:2", "c2": "b:2"})

    applied = apply_next(pod(("c1", "a:1", None), ("c2", "b:1", None)), state, START)

    assert applied.state.last == {"c1": "of-long-ago", "c2": "id-of-b:1"}


def test_containers_that_share_a_label_change_together() -> None:  # ex. 39
    references = {"c2": {"labels": {"k2": "new"}}, "c3": {"labels": {"k2": "new"}}}
    change = Change(
        REVISION,
        images={"c1": "a:2", "c2": "b:2", "c4": "d:2"},
        references=references,
        metadata={},
        env_from_metadata=True,
    )
    first = start_update(
        pod(("c1", "a:1", 20), ("c2", "b:1", 10), ("c3", "c:1", 0), ("c4", "d:1", 0)), change, START
    )
    assert "k2" not in first["metadata"]["labels"]
    state = parse_state(first["metadata"]["annotations"][STATE])

    from kubectl_kruise.engine.inplace.batch import apply_next

    second = apply_next(first, state, "2024-05-01T10:00:41Z")

    assert second.state.batches[-1].containers == ("c2", "c3")
    assert second.pod["metadata"]["labels"]["k2"] == "new"
    assert dict(second.state.next_images) == {"c4": "d:2"}


def test_a_batch_that_is_not_ready_stops_the_next() -> None:  # ex. 40
    change = Change(REVISION, images={"redis": "redis:crash", "nginx": "nginx:2"})
    first = start_update(pod(("redis", "redis:1", 10), ("nginx", "nginx:1", 0)), change, START)

    refresh = plan_refresh(restarted(first, "redis", ready=False), START + 60)

    assert refresh == Refresh()


def test_metadata_alone_makes_an_empty_batch() -> None:  # §17.3 [recorded]
    change = Change(REVISION, metadata={"metadata": {"labels": {"ver": "2"}}})

    after = start_update(pod(("c1", "a:1", None)), change, START)

    assert after["metadata"]["labels"]["ver"] == "2"
    assert after["metadata"]["annotations"][STATE] == (
        '{"revision":"demo-5b54ff9d4d","updateTimestamp":"2024-05-01T10:00:00Z","lastContainerStatuses":null,'
        '"containerBatchesRecord":[{"timestamp":"2024-05-01T10:00:00Z","containers":[]}]}'
    )
    assert pod_complete(after)


def graced(seconds: int = 3630) -> dict[str, Any]:
    return start_update(
        pod(("main", "nginx:1.25", None)),
        Change(REVISION, images={"main": "nginx:1.26"}, grace_seconds=seconds),
        START,
    )


def test_grace_period_leaves_the_image_alone() -> None:  # ex. 36, §17.5
    waiting = graced()

    assert images_of(waiting) == {"main": "nginx:1.25"}
    assert waiting["metadata"]["annotations"][STATE] == (
        '{"revision":"demo-5b54ff9d4d","updateTimestamp":"2024-05-01T10:00:00Z","lastContainerStatuses":null,"updateImages":true}'
    )
    assert plan_refresh(waiting, START + 1000.4).wait == 2630
    assert not pod_complete(waiting)


def test_grace_period_over() -> None:  # ex. 36
    after = plan_refresh(graced(), START + 3630).pod

    assert after is not None
    assert images_of(after) == {"main": "nginx:1.26"}
    assert GRACE not in after["metadata"]["annotations"]
    state = parse_state(after["metadata"]["annotations"][STATE])
    assert (state.started, state.last) == ("2024-05-01T10:00:00Z", {"main": "id-of-nginx:1.25"})
    assert [batch.timestamp for batch in state.batches] == ["2024-05-01T11:00:30Z"]


def test_grace_of_another_revision_is_dropped() -> None:  # §17.7
    other = graced()
    other["metadata"]["labels"]["controller-revision-hash"] = "demo-other"

    after = plan_refresh(other, START).pod

    assert after is not None
    assert GRACE not in after["metadata"]["annotations"]
    assert images_of(after) == {"main": "nginx:1.25"}


@pytest.mark.parametrize(
    "annotations",
    [{GRACE: "{}"}, {STATE: "no json"}, {STATE: "{}", GRACE: "["}, {STATE: "[1]"}],
    ids=["grace without state", "state unreadable", "grace unreadable", "state a list"],
)
def test_broken_annotations_are_refused(annotations: dict[str, str]) -> None:
    broken = pod(("main", "a:1", None))
    broken["metadata"]["annotations"] = annotations

    with pytest.raises(RefusedError, match="demo-abc"):
        plan_refresh(broken, START)


def test_grace_text_and_back() -> None:  # §17.6
    change = Change(
        REVISION,
        images={"main": "nginx:1.26"},
        metadata={"metadata": {"labels": {"ver": "2"}}},
        grace_seconds=30,
    )

    text = grace_text(change)

    assert text == (
        '{"revision":"demo-5b54ff9d4d","containerImages":{"main":"nginx:1.26"},'
        '"metaDataPatch":"eyJtZXRhZGF0YSI6eyJsYWJlbHMiOnsidmVyIjoiMiJ9fX0=","graceSeconds":30}'
    )
    assert base64.b64decode(json.loads(text)["metaDataPatch"]) == b'{"metadata":{"labels":{"ver":"2"}}}'
    assert parse_grace(text) == change


def test_referenced_metadata_has_the_shape_of_object_meta() -> None:  # §17.5 [recorded]
    state = State(
        REVISION,
        "2024-05-01T10:00:00Z",
        next_references={"c2": {"annotations": {"cfg": "b"}}},
        env_from_metadata=True,
    )

    assert (
        '"nextContainerRefMetadata":{"c2":{"creationTimestamp":null,"annotations":{"cfg":"b"}}}'
        in state_text(state)
    )
    assert '"updateEnvFromMetadata":true' in state_text(state)


@pytest.mark.parametrize(
    ("image", "status", "image_id", "complete"),
    [
        ("nginx:1", "nginx:1", "img01", True),
        ("nginx", "nginx:latest", "img01", True),
        ("nginx:1", "docker.io/library/nginx:1", "img01", False),
        ("nginx:1", "nginx:0", "img02", True),
        ("nginx:1", "nginx:0", "img01", False),
    ],
)
def test_same_image_under_two_tags(image: str, status: str, image_id: str, complete: bool) -> None:  # ex. 41
    one = pod(("c1", image, None))
    one["status"]["containerStatuses"] = [{"name": "c1", "image": status, "imageID": image_id}]
    state = State(REVISION, "t", last={"c1": "img01"})

    assert containers_complete(one, state) is complete
    assert (outdated_containers(one, state) == []) is complete


def with_meta(
    pod: dict[str, Any], plain: int, environment: int, container_id: str = "containerd://1"
) -> dict[str, Any]:
    pod["status"]["containerStatuses"][0]["containerID"] = "containerd://1"
    hashes = {"plainHash": plain, "extractedEnvFromMetadataHash": environment}
    entry = {"name": "test_container", "containerID": container_id, "restartCount": 0, "hashes": hashes}
    pod["metadata"]["annotations"][META] = json.dumps({"containers": [entry]})
    return pod


@pytest.mark.parametrize(
    ("plain", "container_id", "complete"),
    [
        (2386938832, "containerd://1", True),
        (1, "containerd://1", False),
        (2386938832, "containerd://2", False),
    ],
    ids=["§18.5 vector", "other hash", "other container"],
)
def test_the_node_daemons_record_completes(plain: int, container_id: str, complete: bool) -> None:
    one = with_meta(pod(("test_container", "foo/image:v1", None)), plain, 86995377, container_id)
    one["status"]["containerStatuses"][0] |= {"image": "foo/image:v0", "imageID": "img01"}

    assert containers_complete(one, State(REVISION, "t", last={"test_container": "img01"})) is complete


@pytest.mark.parametrize(
    ("value", "complete"), [("foo", True), ("bar", False)], ids=["§18.5 vector", "old environment"]
)
def test_environment_must_have_arrived(value: str, complete: bool) -> None:
    one = with_meta(pod(("test_container", "foo/image:v1", None)), 2386938832, 27323935)
    one["metadata"]["labels"]["k"] = value
    one["spec"]["containers"][0]["env"] = [
        {"name": "TEST_ENV", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['k']"}}}
    ]

    assert containers_complete(one, State(REVISION, "t", env_from_metadata=True)) is complete


@pytest.mark.parametrize("text", [None, "no json", "[]"])
def test_without_a_record_environment_is_never_complete(text: str | None) -> None:
    one = pod(("main", "a:1", None))
    one["metadata"]["annotations"] |= {} if text is None else {META: text}

    assert not containers_complete(one, State(REVISION, "t", env_from_metadata=True))


def test_new_pods_get_their_gate() -> None:  # §17.7, last step
    fresh = pod(("main", "a:1", None))
    fresh["status"]["conditions"].pop()

    refresh = plan_refresh(fresh, START)

    assert refresh.status is not None
    assert condition(refresh.status, "InPlaceUpdateReady") == {
        "type": "InPlaceUpdateReady",
        "status": "True",
        "lastTransitionTime": "2024-05-01T10:00:00Z",
    }
    assert plan_refresh(pod(("main", "a:1", None), gate=False), START) == Refresh()
    assert plan_refresh(pod(("main", "a:1", None)), START) == Refresh()

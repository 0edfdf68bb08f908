"""Updates in place of a set's pods (advanced-statefulset.md §14, examples X-79 to X-89).

What is the same for every kind has its tests at `engine/inplace`; here is what a set makes of it.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.inplace.execution import plan_refresh, start_update
from kubectl_kruise.engine.inplace.state import parse_state
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.steps import Counter, InPlace, Refresh
from kubectl_kruise.facts.names import IN_PLACE_GRACE, IN_PLACE_STATE
from kubectl_kruise.objects.pod import UPDATING, images_of
from kubectl_kruise.objects.raw import annotations_of, labels_of
from tests.engine.statefulset.builders import (
    NOW,
    decide,
    pod,
    pods,
    revision,
    situation,
    statefulset,
    stop_reason,
    wait,
)

LABELS = {"controller-revision-hash": "r2"}


def _steps(at: Any, kind: type) -> list[Any]:
    return [step for phase in plan_pass(at) for step in phase.steps if isinstance(step, kind)]


def _begun(
    ordinal: int = 2, *, image_id: str = "id-r1", image: str = "a:1", ready: bool = True
) -> dict[str, Any]:
    """Pod after its update in place to r2 was written, with what its kubelet says of its container."""
    one = start_update(pod(ordinal), Change("r2", images={"main": "a:2"}), NOW - 5, labels=LABELS)
    status = {
        "phase": "Running",
        "conditions": [
            {"type": "Ready", "status": "True" if ready else "False", "lastTransitionTime": None},
            {"type": "InPlaceUpdateReady", "status": "False", "reason": "StartInPlaceUpdate"},
        ],
        "containerStatuses": [{"name": "main", "image": image, "imageID": image_id, "ready": True}],
    }
    return {**one, "status": status}


def test_the_highest_pod_is_changed_as_it_is() -> None:
    """X-79."""
    at = situation(statefulset("PA part 1 InPlaceIfPossible"), pods("0 1 2"))

    assert decide(at) == "in place 2"
    (step,) = _steps(at, InPlace)
    assert (step.change.images, step.change.revision, step.lowers) == ({"main": "a:2"}, "r2", Counter.CURRENT)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param(_begun(ready=False), "", id="X-79 the image has not changed yet"),
        pytest.param(_begun(image_id="id-r2", image="a:2"), "2 → Normal", id="X-80"),
        pytest.param(pod(2, "r2"), "in place 1", id="X-80 the following pass"),
    ],
)
def test_one_pod_after_the_other(last: dict[str, Any], expected: str) -> None:
    at = situation(statefulset("PA part 1 InPlaceIfPossible"), [*pods("0 1"), last])

    assert decide(at) == expected


def test_the_gate_opens_with_the_state() -> None:
    """X-80: condition and state in one pass, which ends there ([P-52])."""
    at = situation(
        statefulset("PA part 1 mu 2 InPlaceIfPossible"),
        [*pods("0 1"), _begun(image_id="id-r2", image="a:2")],
    )

    (step,) = _steps(at, Refresh)
    assert step.in_place.status is not None
    assert step.state == "Normal"
    assert stop_reason(at) == "pod web-2 changes its lifecycle state first"


def test_the_protected_pod_is_never_touched() -> None:
    """X-80."""
    at = situation(statefulset("PA part 1 InPlaceIfPossible"), pods("0 1:r2 2:r2"))

    assert decide(at) == ""


def _template(image: str = "a:1", *, env: Any = (), finalizers: Any = (), **labels: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "c1", "image": image}
    if env:
        container["env"] = list(env)
    meta: dict[str, Any] = {"labels": {"app": "web", **labels}}
    if finalizers:
        meta["finalizers"] = list(finalizers)
    return {"metadata": meta, "spec": {"containers": [container]}}


READS_K = [{"name": "K", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['k']"}}}]


@pytest.mark.parametrize(
    ("old", "new", "patch", "references"),
    [
        pytest.param(
            _template(),
            _template("a:2", k1="v1"),
            {"metadata": {"labels": {"k1": "v1"}}},
            {},
            id="X-81",
        ),
        pytest.param(
            _template(env=READS_K, k="v1"),
            _template("a:2", env=READS_K, k="v2", k1="v1"),
            {"metadata": {"labels": {"k1": "v1"}}},
            {"c1": {"labels": {"k": "v2"}}},
            id="X-82",
        ),
        pytest.param(
            _template(finalizers=["fz1", "fz2"], k2="v2"),
            _template("a:2", finalizers=["fz2"], k1="v1"),
            {
                "metadata": {
                    "labels": {"k1": "v1", "k2": None},
                    "$deleteFromPrimitiveList/finalizers": ["fz1"],
                    "$setElementOrder/finalizers": ["fz2"],
                }
            },
            {},
            id="X-83",
        ),
    ],
)
def test_what_changes(old: Any, new: Any, patch: Any, references: Mapping[str, Any]) -> None:
    change, _ = pick_change(revision("r1", **old), revision("r2", **new), Gates())

    assert change is not None
    assert (change.images, change.metadata, change.references) == ({"c1": "a:2"}, patch, references)
    assert change.env_from_metadata == bool(references)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("InPlaceIfPossible", "delete 2, delete 1"), ("InPlaceOnly", "error at 2")],
    ids=["X-84", "X-84 in place only"],
)
def test_what_cannot_be_changed_in_place(policy: str, expected: str) -> None:
    update = revision("r2", **_template("a:1", env=[{"name": "A", "value": "1"}]))
    current = revision("r1", **_template())
    at = situation(statefulset(f"PA mu 2 {policy}"), pods("0 1 2"), current=current, update=update)

    assert decide(at) == expected


def _resources(cpu: str, image: str = "a:1", limit: str = "", name: str = "c1") -> dict[str, Any]:
    resources: dict[str, Any] = {"requests": {"cpu": cpu}}
    if limit:
        resources["limits"] = {"cpu": limit, "memory": "1Gi"}
        resources["requests"]["memory"] = "1Gi"
    container = {"name": name, "image": image, "resources": resources}
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("old", "new", "gate", "expected"),
    [
        (_resources("1"), _resources("2"), True, "in place 0"),
        (_resources("1"), _resources("2", "a:2"), True, "in place 0"),
        (_resources("1"), _resources("2", name="c2"), True, "delete 0"),
        (_resources("1", limit="2"), _resources("2", limit="2"), True, "delete 0"),
        (_resources("1"), _resources("2"), False, "delete 0"),
    ],
    ids=[
        "X-85",
        "X-85 with an image",
        "X-85 another field",
        "X-85 the QoS class changes",
        "X-85 without gate",
    ],
)
def test_resources(old: Any, new: Any, gate: bool, expected: str) -> None:
    view = statefulset("PA n 1 InPlaceIfPossible", gates=Gates(vertical_scaling=gate))
    at = situation(view, pods("0"), current=revision("r1", **old), update=revision("r2", **new))

    assert decide(at) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"imageID": "img02", "image": "a:1"}, True),
        ({"imageID": "img01", "image": "b:1"}, False),
        ({"imageID": "img01", "image": "a:1"}, True),
        (None, False),
    ],
    ids=["X-86", "X-86 the same id, another image", "U-9 d the same id, the same image", "X-86 no status"],
)
def test_when_an_image_has_arrived(status: dict[str, str] | None, expected: bool) -> None:
    one = pod(
        0,
        annotations={
            IN_PLACE_STATE: '{"revision":"r1","updateTimestamp":null,"lastContainerStatuses":{"c1":{"imageID":"img01"}}}'
        },
        spec={"containers": [{"name": "c1", "image": "a:1"}]},
        status={"containerStatuses": [{"name": "c1", **status}] if status else []},
    )

    assert pod_complete(one) is expected


def _graced(seconds: int) -> dict[str, Any]:
    change = Change("r2", images={"main": "a:2"}, grace_seconds=seconds)
    return start_update(pod(2), change, NOW - 10, labels=LABELS)


def test_within_the_grace_period_nothing_happens() -> None:
    """X-87: the pass comes back for what is left of it."""
    at = situation(statefulset("PA InPlaceIfPossible"), [*pods("0 1"), _graced(30)])

    assert [step.in_place.pod for step in _steps(at, Refresh)] == [None]
    assert wait(at) == 20


def test_after_the_grace_period_the_image_changes() -> None:
    """X-87: one batch, and the annotation is gone."""
    at = situation(statefulset("PA InPlaceIfPossible"), [*pods("0 1"), _graced(5)])

    (step,) = _steps(at, Refresh)
    written = step.in_place.pod
    assert images_of(written) == {"main": "a:2"}
    assert IN_PLACE_GRACE not in annotations_of(written)
    assert len(parse_state(annotations_of(written)[IN_PLACE_STATE]).batches) == 1


def test_a_grace_period_that_begins_is_waited_for() -> None:
    """P-70."""
    at = situation(statefulset("PA grace 30 InPlaceIfPossible"), pods("0 1 2"))

    assert decide(at) == "in place 2"
    assert wait(at) == 30


def _prioritized(
    *containers: tuple[str, int], labels: Mapping[str, str] | None = None, reads: Any = ()
) -> Any:
    def env(name: str, priority: int) -> list[dict[str, Any]]:
        barrier = {
            "name": "KRUISE_CONTAINER_BARRIER",
            "valueFrom": {"configMapKeyRef": {"name": "web-0-barrier", "key": f"p_{priority}"}},
        }
        read = {"name": "L", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['label-k2']"}}}
        return [barrier, *([read] if name in reads else [])]

    return pod(
        0,
        labels=labels or {},
        spec={
            "containers": [
                {"name": name, "image": f"{name}:1", "env": env(name, priority)}
                for name, priority in containers
            ]
        },
        status={
            "containerStatuses": [
                {"name": name, "image": f"{name}:1", "imageID": f"{name}-1", "ready": True}
                for name, _ in containers
            ]
        },
    )


def _arrived(one: Any) -> Any:
    """Pod whose kubelet runs what the spec asks for."""
    statuses = [
        {"name": name, "image": image, "imageID": f"id-{image}", "ready": True}
        for name, image in images_of(one).items()
    ]
    return {**one, "status": {**one["status"], "containerStatuses": statuses}}


def _batches(one: Any, change: Change) -> list[tuple[str, ...]]:
    """Containers of each batch, from the first write to the last."""
    one = start_update(one, change, NOW, labels=LABELS)
    while parse_state(annotations_of(one)[IN_PLACE_STATE]).waiting:
        unready = plan_refresh(one, NOW)
        assert unready.pod is None, "the images of the batch before have not arrived"
        refresh = plan_refresh(_arrived(one), NOW)
        assert refresh.pod is not None
        one = refresh.pod
    return [batch.containers for batch in parse_state(annotations_of(one)[IN_PLACE_STATE]).batches]


def test_batches_by_launch_priority() -> None:
    """X-88."""
    one = _prioritized(("c1", 20), ("c2", 10), ("c4", 0))
    change = Change("r2", images={"c1": "c1:2", "c2": "c2:2", "c4": "c4:2"})

    assert _batches(one, change) == [("c1",), ("c2",), ("c4",)]


def test_containers_that_share_a_label_change_together() -> None:
    """X-89."""
    containers = (("c1", 20), ("c2", 10), ("c3", 0), ("c4", 0))
    one = _prioritized(*containers, labels={"label-k2": "v1"}, reads=("c2", "c3"))
    reference = {"labels": {"label-k2": "v2"}}
    change = Change(
        "r2",
        images={"c1": "c1:2", "c2": "c2:2", "c4": "c4:2"},
        references={"c2": reference, "c3": reference},
    )

    assert _batches(one, change) == [("c1",), ("c2", "c3"), ("c4",)]


@pytest.mark.parametrize(("state", "enters"), [("Normal", True), ("", False)])
def test_a_pod_without_lifecycle_state_stays_without_one(state: str, enters: bool) -> None:
    """§14.1 and [N-4]: adopted pods have none."""
    one = pod(0, state=state)
    written = start_update(one, Change("r2"), NOW, labels=LABELS, enters=bool(state))

    assert labels_of(written).get("lifecycle.apps.kruise.io/state") == (UPDATING if enters else None)
    assert ("lifecycle.apps.kruise.io/timestamp" in annotations_of(written)) is enters


def test_a_pod_that_is_still_updated_uses_up_the_budget_though_it_is_ready() -> None:
    """P-55 b: without lifecycle state and readiness gate nothing else tells."""
    plain: dict[str, Any] = {"readinessGates": []}
    change = Change("r2", images={"main": "a:2"})
    begun = start_update(pod(2, state="", spec=plain), change, NOW, labels=LABELS, enters=False)
    at = situation(
        statefulset("PA InPlaceIfPossible"),
        [pod(0, state="", spec=plain), pod(1, state="", spec=plain), begun],
    )

    assert decide(at) == ""
    assert stop_reason(at) == "pod web-1 waits: at most 1 may be unavailable, web-2 is"


def test_metadata_alone_is_an_update_in_place_as_well() -> None:
    """§22 quirk 9: an empty batch."""
    written = start_update(
        pod(0), Change("r2", metadata={"metadata": {"labels": {"a": "b"}}}), NOW, labels=LABELS
    )

    assert [batch.containers for batch in parse_state(annotations_of(written)[IN_PLACE_STATE]).batches] == [
        ()
    ]
    assert labels_of(written)["a"] == "b"


def test_an_unreadable_record_ends_the_pass() -> None:
    """U-8: without the state annotation nobody knows when the grace period began."""
    one = pod(1, annotations={IN_PLACE_GRACE: '{"revision":"r1","graceSeconds":5}'})
    at = situation(statefulset("PA mu 3 InPlaceIfPossible"), [pod(0), one, pod(2)])

    assert decide(at) == "error at 1"

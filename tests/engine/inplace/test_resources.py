"""Resources changed in place (cloneset.md §17.2, §17.3, §19, §28 ex. 34)."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.inplace.change import Change, grace_text, parse_grace
from kubectl_kruise.engine.inplace.completion import containers_complete, pod_complete
from kubectl_kruise.engine.inplace.eligibility import pick_change
from kubectl_kruise.engine.inplace.execution import first_resources, go_on, plan_refresh
from kubectl_kruise.engine.inplace.readiness import close_gate, must_close, open_gate
from kubectl_kruise.engine.inplace.resources import resize_patch, resources_arrived, with_resources
from kubectl_kruise.engine.inplace.state import State, parse_state
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from tests.engine.inplace.starting import start_update

GATED = Gates(vertical_scaling=True)
START = parse_rfc3339("2024-05-01T10:00:00Z") or 0.0
REVISION = "demo-2"
STATE = "apps.kruise.io/inplace-update-state"
SMALL = {"limits": {"cpu": "2", "memory": "2Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
FULL = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
TEMPLATE = {
    "metadata": {"labels": {"app": "demo"}},
    "spec": {
        "containers": [
            {"name": "main", "image": "nginx:1", "resources": SMALL},
            {"name": "side", "image": "envoy:1", "resources": FULL},
        ],
        "initContainers": [{"name": "init", "image": "busybox:1", "resources": FULL}],
    },
}


def revised(*edits: tuple[str, Any], name: str = REVISION) -> dict[str, Any]:
    """A revision of the template with values set at paths such as `containers/0/resources/limits/cpu`; None removes."""
    template = json.loads(json.dumps(TEMPLATE))
    for path, value in edits:
        *parents, leaf = path.split("/")
        target: Any = template["spec"]
        for step in parents:
            target = target[int(step)] if isinstance(target, list) else target.setdefault(step, {})
        if value is None:
            target.pop(leaf)
        else:
            target[leaf] = value
    return {"metadata": {"name": name}, "data": {"spec": {"template": {"$patch": "replace", **template}}}}


CPU = "containers/0/resources/limits/cpu"
IN_PLACE = [
    ("ex. 34, fault B118: cpu request 1 to 2", [("containers/0/resources/requests/cpu", "2")], {"main": {"requests": {"cpu": "2"}}}),
    ("a limit becomes lower", [(CPU, "1500m")], {"main": {"limits": {"cpu": "1500m"}}}),
    (
        "values of two containers",
        [(CPU, "3"), ("containers/0/resources/limits/memory", "3Gi"), ("containers/1/resources/limits/cpu", "2")],
        {"main": {"limits": {"cpu": "3", "memory": "3Gi"}}, "side": {"limits": {"cpu": "2"}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "resources"), [row[1:] for row in IN_PLACE], ids=[row[0] for row in IN_PLACE]
)
def test_changed_values_go_in_place_behind_the_gate(edits: list[Any], resources: dict[str, Any]) -> None:
    verdict = pick_change(revised(name="demo-1"), revised(*edits), GATED)

    assert verdict.change is not None
    assert verdict.change.resources == resources
    assert verdict.reason == "only images, resources and metadata changed"
    assert pick_change(revised(name="demo-1"), revised(*edits), Gates()).change is None


def test_an_image_and_resources_are_one_change() -> None:
    new = revised((CPU, "3"), ("containers/1/image", "envoy:2"))

    change = pick_change(revised(name="demo-1"), new, GATED).change

    assert change is not None
    assert (change.images, change.resources) == ({"side": "envoy:2"}, {"main": {"limits": {"cpu": "3"}}})
    assert change.containers == {"main", "side"}


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([(CPU, None)], id="a limit goes"),
        pytest.param([("containers/0/resources/limits/example.com~gpu", "1")], id="ex. 34: a limit comes"),
        pytest.param([("containers/0/resources", {})], id="all resources go"),
        pytest.param([("initContainers/0/resources/limits/cpu", "3")], id="of an init container"),
        pytest.param(
            [("containers/0/resizePolicy", [{"resourceName": "cpu", "restartPolicy": "NotRequired"}])],
            id="a resizePolicy",
        ),
        pytest.param([(CPU, "3"), ("containers/0/args", ["x"])], id="with something else beside it"),
        pytest.param(
[("containers/0/resources/requests/cpu", "2"), ("containers/0/resources/requests/memory", "2Gi")],
            id="ex. 34: the pod becomes Guaranteed",
        ),
        pytest.param([(CPU, "many")], id="no quantity"),
    ],
)  # fmt: skip
def test_other_changes_of_resources_recreate(edits: list[Any]) -> None:
    assert pick_change(revised(name="demo-1"), revised(*edits), GATED).change is None


def test_ephemeral_storage_recreates() -> None:
    old = revised(("containers/0/resources/limits/ephemeral-storage", "1Gi"), name="demo-1")
    new = revised(("containers/0/resources/limits/ephemeral-storage", "2Gi"))

    assert pick_change(old, new, GATED).change is None


def pod(*containers: tuple[str, int | None], policies: dict[str, Any] | None = None) -> dict[str, Any]:
    """Containers are (name, launch priority), each with 200m of 100m cpu asked for; all of them run with it."""
    resources = {"limits": {"cpu": "200m"}, "requests": {"cpu": "100m"}}
    barrier = {"name": "KRUISE_CONTAINER_BARRIER"}
    return {
        "metadata": {
            "name": "demo-abc",
            "uid": "u",
            "resourceVersion": "1",
            "labels": {"controller-revision-hash": "demo-1"},
        },
        "spec": {
            "containers": [
                {
                    "name": name,
                    "image": "a:1",
                    "resources": resources,
                    "resizePolicy": (policies or {}).get(name, []),
                    "env": []
                    if priority is None
                    else [{**barrier, "valueFrom": {"configMapKeyRef": {"key": f"p_{priority}"}}}],
                }
                for name, priority in containers
            ],
            "readinessGates": [{"conditionType": "InPlaceUpdateReady"}],
        },
        "status": {
            "conditions": [{"type": "InPlaceUpdateReady", "status": "True"}],
            "containerStatuses": [
                {"name": name, "image": "a:1", "imageID": "id", "ready": True, "resources": resources}
                for name, _ in containers
            ],
        },
    }


def resized(raw: dict[str, Any], *names: str) -> dict[str, Any]:
    """The pod once its kubelet has given the containers named the resources of the spec."""
    wanted = {container["name"]: container["resources"] for container in raw["spec"]["containers"]}
    statuses = [
        {**status, "resources": wanted[status["name"]]} if status["name"] in names else status
        for status in raw["status"]["containerStatuses"]
    ]
    return {**raw, "status": {**raw["status"], "containerStatuses": statuses}}


def cpu(value: str, *names: str) -> dict[str, Any]:
    return {name: {"limits": {"cpu": value}} for name in names or ("main",)}


RESTART = {"main": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
MUST_CLOSE = [
    ("resources alone", Change(REVISION, resources=cpu("400m")), {}, False),
    ("metadata beside them", Change(REVISION, resources=cpu("400m"), metadata={"metadata": {}}), {}, False),
    ("a grace period changes nothing", Change(REVISION, resources=cpu("400m"), grace_seconds=9), {}, False),
    ("an image beside them", Change(REVISION, images={"main": "a:2"}, resources=cpu("400m")), {}, True),
    ("environment beside them", Change(REVISION, resources=cpu("400m"), env_from_metadata=True), {}, True),
    ("a restart for this resource", Change(REVISION, resources=cpu("400m")), RESTART, True),
    ("a restart for another resource", Change(REVISION, resources={"main": {"limits": {"memory": "1Gi"}}}), RESTART, False),
    ("a restart of another container", Change(REVISION, resources=cpu("400m", "side")), RESTART, False),
    ("no change of containers", Change(REVISION), {}, True),
]  # fmt: skip


@pytest.mark.parametrize(("change", "policies", "closes"), [row[1:] for row in MUST_CLOSE], ids=[row[0] for row in MUST_CLOSE])  # fmt: skip
def test_new_resources_keep_a_pod_in_service_unless_a_container_restarts(
    change: Change, policies: dict[str, Any], closes: bool
) -> None:
    one = pod(("main", None), ("side", None), policies=policies)

    assert must_close(one, change, vertical_scaling=True) is closes
    assert must_close(one, change)


def test_a_pod_without_the_gate_is_never_taken_out_of_service() -> None:
    one = pod(("main", None))
    one["spec"]["readinessGates"] = []

    assert not must_close(one, Change(REVISION, images={"main": "a:2"}), vertical_scaling=True)


def test_the_patch_holds_only_what_differs_in_pod_order() -> None:
    wanted = {
        "side": {"limits": {"cpu": "0.2"}},
        "main": {"limits": {"cpu": "400m"}, "requests": {"cpu": "0.1"}},
    }

    patch = resize_patch(pod(("main", None), ("side", None)), wanted)

    assert patch == {"spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "400m"}}}]}}
    assert resize_patch(pod(("main", None)), cpu("200m")) is None


def test_clusters_without_the_subresource_get_the_values_in_the_pod() -> None:
    one = pod(("main", None), ("side", None))

    after = with_resources(one, cpu("400m"))

    main, side = after["spec"]["containers"]
    assert main["resources"] == {"limits": {"cpu": "400m"}, "requests": {"cpu": "100m"}}
    assert side == one["spec"]["containers"][1]


def test_the_record_of_a_resize_holds_no_sizes() -> None:
    change = Change(REVISION, resources=cpu("400m"))
    one = with_resources(pod(("main", None)), first_resources(pod(("main", None)), change))

    after = start_update(one, change, START)

    assert after["metadata"]["annotations"][STATE] == (
        '{"revision":"demo-2","updateTimestamp":"2024-05-01T10:00:00Z","lastContainerStatuses":null,'
        '"updateResources":true,"containerBatchesRecord":[{"timestamp":"2024-05-01T10:00:00Z","containers":["main"]}]}'
    )
    assert after["spec"] == one["spec"]


def test_resources_follow_launch_priorities() -> None:
    change = Change(REVISION, images={"c2": "a:2"}, resources=cpu("400m", "c1", "c2"))
    fresh = pod(("c1", 10), ("c2", 0))
    assert first_resources(fresh, change) == cpu("400m", "c1")

    first = start_update(with_resources(fresh, first_resources(fresh, change)), change, START)
    state = parse_state(first["metadata"]["annotations"][STATE])
    assert (state.next_images, state.next_resources) == ({"c2": "a:2"}, cpu("400m", "c2"))
    assert state.required_ready == ("c1",)
    assert plan_refresh(first, START, vertical_scaling=True).pod is None

    refresh = plan_refresh(resized(first, "c1"), START + 5, vertical_scaling=True)
    assert refresh.resources == cpu("400m", "c2")

    second = go_on(with_resources(resized(first, "c1"), refresh.resources), START + 5)
    state = parse_state(second["metadata"]["annotations"][STATE])
    assert not state.waiting
    assert [batch.containers for batch in state.batches] == [("c1",), ("c2",)]
    assert state.last == {"c2": "id"}


def test_a_batch_that_waits_with_resources_alone_is_never_applied() -> None:  # Q13
    change = Change(REVISION, images={"c1": "a:2"}, resources=cpu("400m", "c2"))
    first = start_update(close_gate(pod(("c1", 10), ("c2", 0)), "2024-05-01T10:00:00Z"), change, START)
    first["status"]["containerStatuses"][0] |= {"image": "a:2", "imageID": "new"}

    refresh = plan_refresh(first, START + 5, vertical_scaling=True)

    assert (refresh.pod, refresh.resources) == (None, {})
    assert refresh.status is not None
    assert not pod_complete(refresh.status, vertical_scaling=True)


def test_a_grace_period_holds_resources_back() -> None:
    change = Change(REVISION, resources=cpu("400m"), grace_seconds=30)
    text = '{"revision":"demo-2","containerResources":{"main":{"limits":{"cpu":"400m"}}},"graceSeconds":30}'
    assert grace_text(change) == text
    assert parse_grace(text) == change

    waiting = start_update(pod(("main", None)), change, START)
    assert first_resources(pod(("main", None)), change) == {}
    assert plan_refresh(waiting, START + 10, vertical_scaling=True).wait == 20

    refresh = plan_refresh(waiting, START + 30, vertical_scaling=True)
    assert refresh.resources == cpu("400m")
    without = plan_refresh(waiting, START + 30)
    assert (without.pod, without.resources) == (refresh.pod, {})
    done = go_on(with_resources(waiting, refresh.resources), START + 30)
    assert "apps.kruise.io/inplace-update-grace" not in done["metadata"]["annotations"]
    assert json.loads(done["metadata"]["annotations"][STATE])["containerBatchesRecord"][0]["containers"] == [
        "main"
    ]


def edited(edit: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    raw = copy.deepcopy(pod(("main", None), ("side", None)))
    edit(raw)
    return raw


ARRIVED = [
    ("all as asked for", lambda raw: None, True),
    ("another spelling", lambda raw: raw["status"]["containerStatuses"][0].update(resources={"limits": {"cpu": "0.2"}, "requests": {"cpu": "0.1"}}), True),
    ("another limit", lambda raw: raw["spec"]["containers"][0].update(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}), False),
    ("a container that did not change", lambda raw: raw["spec"]["containers"][1].update(resources={}), False),
    ("no resources told", lambda raw: raw["status"]["containerStatuses"][1].pop("resources"), False),
    ("none asked for, none told", lambda raw: (raw["spec"]["containers"][1].pop("resources"), raw["status"]["containerStatuses"][1].pop("resources")), False),
    ("none asked for, told so", lambda raw: (raw["spec"]["containers"][1].pop("resources"), raw["status"]["containerStatuses"][1].update(resources={})), True),
    ("a container without status", lambda raw: raw["status"]["containerStatuses"].pop(), False),
    ("a status too many", lambda raw: raw["status"]["containerStatuses"].append({"name": "x", "resources": {}}), False),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "arrived"), [row[1:] for row in ARRIVED], ids=[row[0] for row in ARRIVED])
def test_a_resize_has_arrived_when_every_container_shows_it(
    edit: Callable[[Any], object], arrived: bool
) -> None:
    raw, state = edited(edit), State(REVISION, "t", resources=True)

    assert resources_arrived(raw) is arrived
    assert containers_complete(raw, state, vertical_scaling=True) is arrived
    assert containers_complete(raw, state)


def test_updates_without_resources_do_not_ask_for_them() -> None:
    raw = edited(lambda raw: raw["status"]["containerStatuses"][0].pop("resources"))

    assert containers_complete(raw, State(REVISION, "t"), vertical_scaling=True)


def test_the_gate_opens_only_with_the_resources() -> None:
    change = Change(REVISION, resources=cpu("400m"))
    one = close_gate(pod(("main", None), policies=RESTART), "2024-05-01T10:00:00Z")
    after = start_update(with_resources(one, first_resources(one, change)), change, START)

    assert plan_refresh(after, START, vertical_scaling=True).status is None
    status = plan_refresh(resized(after, "main"), START, vertical_scaling=True).status
    assert status == open_gate(resized(after, "main"), "2024-05-01T10:00:00Z")

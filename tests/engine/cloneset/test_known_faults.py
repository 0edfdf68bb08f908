"""Faults reported of CloneSets and of tools around them, each with the right numbers."""

from typing import Any

import pytest

from kubectl_kruise.engine.cloneset.calculator import calculate
from kubectl_kruise.engine.cloneset.claims import sort_claims
from kubectl_kruise.engine.cloneset.creation import pick_instance_ids
from kubectl_kruise.engine.cloneset.deletion import pick_for_deletion
from kubectl_kruise.engine.cloneset.member import members_for_scale, members_for_update
from kubectl_kruise.engine.cloneset.scale import ScalePlan, plan_scale
from kubectl_kruise.engine.cloneset.status import plan_status
from kubectl_kruise.engine.cloneset.update import plan_update
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.inplace.completion import pod_complete
from kubectl_kruise.engine.lifecycle import next_state
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.pod import available, has_revision, ready
from kubectl_kruise.objects.raw import name_of
from tests.engine.cloneset.builders import (
    NEW,
    NOW,
    OLD,
    cloneset,
    pod,
    pods,
    revision,
    scale_members,
    update_members,
)

COST = "controller.kubernetes.io/pod-deletion-cost"
ID = "apps.kruise.io/cloneset-instance-id"
STATE = "apps.kruise.io/inplace-update-state"
HELD = {"preDelete": {"labelsHandler": {"app": "demo"}}}


def scaled(view: CloneSet, text: str) -> ScalePlan:
    members = members_for_scale(view, pods(text), NEW, NOW)
    found = calculate(view, members, current_revision=OLD, update_revision=NEW)
    return plan_scale(view, members, found, lambda _node, _key: None)


def updated(view: CloneSet, text: str) -> list[str]:
    template = {"metadata": {"labels": {}}, "spec": {"containers": [{"name": "main", "image": "a:1"}]}}
    current, update = revision(OLD, template), revision(NEW, template, 2)
    members = members_for_update(view, pods(text), NEW, NOW)
    found = calculate(view, members, current_revision=OLD, update_revision=NEW)
    plan = plan_update(view, members, found, [current, update], current=current, update=update)
    return [name_of(step.pod) for step in plan.steps]


def gone(plan: ScalePlan) -> list[str]:
    return [name_of(deletion.pod) for deletion in plan.deletions if not deletion.held]


CREATIONS = [
    ("fault B074: paused, no surge pods", {"replicas": 10, "maxSurge": 3, "maxUnavailable": 0, "paused": True}, "o✓×10", (0, 0)),
    ("fault B074: resumed", {"replicas": 10, "maxSurge": 3, "maxUnavailable": 0}, "o✓×10", (0, 3)),
    ("fault B090: replacements first", {"maxSurge": 2, "maxUnavailable": 0}, "nD×3 n✓×2", (0, 2)),
    ("fault B124: half of eight, two to go", {"replicas": 8, "partition": 6, "maxSurge": "50%", "maxUnavailable": 0}, "o✓×8", (0, 2)),
    ("fault B124: one of two", {"replicas": 2, "partition": 1, "maxSurge": 2, "maxUnavailable": 0}, "o✓×2", (0, 1)),
    ("fault B126: surge first", {"replicas": 1, "maxSurge": "50%", "maxUnavailable": "10%"}, "o✓", (0, 1)),
    ("fault B130: the evicted old pod comes back old", {"replicas": 4, "partition": 1}, "n✓×3", (1, 0)),
    ("fault B132: the surge shrinks", {"replicas": 5, "maxSurge": 3, "maxUnavailable": 0}, "o✓×3 n✓×2 n✗", (0, 1)),
    ("fault B134: an old one is missing", {"partition": 3}, "o✓×2 n✓×2", (1, 0)),
    ("fault B134: a new one is missing", {"partition": 3}, "o✓×3 n✓", (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "created"), [row[1:] for row in CREATIONS], ids=[row[0] for row in CREATIONS]
)
def test_how_many_pods_are_made_of_which_revision(
    spec: dict[str, Any], text: str, created: tuple[int, int]
) -> None:
    plan = scaled(cloneset(**spec), text)

    assert (plan.create_old, plan.create_new) == created


DELETIONS = [
    ("fault B088: one of two named", {"maxUnavailable": 1}, "nD×2 n✓×3", ["p0"]),
    ("fault B088: the second waits", {"maxUnavailable": 1}, "nD n✓×3 n✗", []),
    ("fault B090: nothing before the replacements", {"maxSurge": 2, "maxUnavailable": 0}, "nD×3 n✓×2", []),
    ("fault B090: then two", {"maxSurge": 2, "maxUnavailable": 0}, "nD×3 n✓×4", ["p0", "p1"]),
    ("fault B098: the canary goes", {"replicas": 3, "partition": 3}, "o✓×3 n✓×2", ["p3", "p4"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "expected"), [row[1:] for row in DELETIONS], ids=[row[0] for row in DELETIONS]
)
def test_which_pods_are_deleted_at_once(spec: dict[str, Any], text: str, expected: list[str]) -> None:
    assert gone(scaled(cloneset(**spec), text)) == expected


UPDATES = [
    ("fault B126: the only pod is taken down", {"replicas": 1, "maxUnavailable": "10%"}, "o✓", ["p0"]),
    ("fault B128: all ready", {"maxUnavailable": 1}, "o✓×5", ["p0"]),
    ("fault B128: an unready one first", {"maxUnavailable": 1}, "o✓×3 o✗×2", ["p3"]),
    ("fault B128: a broken new one used it up", {"maxUnavailable": 1}, "n✗ o✗×2 o✓×2", []),
    ("fault B140: an unreadable partition is none", {"replicas": 10, "partition": "half", "maxUnavailable": "20%"}, "o✓×10", ["p0", "p1"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "expected"), [row[1:] for row in UPDATES], ids=[row[0] for row in UPDATES]
)
def test_which_pods_are_updated_at_once(spec: dict[str, Any], text: str, expected: list[str]) -> None:
    assert updated(cloneset(**spec), text) == expected


def test_the_numbers_of_a_shrinking_surge() -> None:
    """Fault B132: as in the reported controller's log."""
    view = cloneset(replicas=5, maxSurge=3, maxUnavailable=0)

    scale = calculate(view, scale_members(view, "o✓×3 n✓×2 n✗"), current_revision=OLD, update_revision=NEW)
    update = calculate(view, update_members(view, "o✓×3 n✓×2 n✗"), current_revision=OLD, update_revision=NEW)

    assert (scale.surge, scale.up, scale.ready_budget) == (2, 1, 0)
    assert (update.move, update.ceiling) == (2, 1)


@pytest.mark.parametrize(
    ("ready_two", "expected"),
    [(True, ["p1", "p5"]), (False, ["p2", "p1"])],
    ids=["fault B096: odd costs count as none", "fault B096: unready beats cost"],
)
def test_costs_choose_among_ready_pods(ready_two: bool, expected: list[str]) -> None:
    costs = {"p1": "-5", "p2": "10", "p3": None, "p4": "+100", "p5": "008"}
    ready_for = {"p3": 300.0, "p4": 200.0, "p5": 100.0}
    listed = [
        pod(
            name,
            node=f"node-{name}",
            ready_for=ready_for.get(name, 400.0),
            up=ready_two or name != "p2",
            annotations={} if cost is None else {COST: cost},
        )
        for name, cost in costs.items()
    ]
    members = members_for_scale(cloneset(), listed, NEW, NOW)

    picked = pick_for_deletion(members, 2, {}, lambda _node, _key: None)

    assert [member.name for member in picked] == expected


@pytest.mark.parametrize(
    ("state", "gate", "expected"),
    [
        ("PreparingNormal", "True", (True, False)),
        ("Normal", "False", (True, False)),
        ("Normal", None, (True, True)),
    ],
    ids=["fault B112: not yet normal", "fault B112: held by its gate", "fault B112: no gate"],
)
def test_a_ready_condition_alone_is_not_available(
    state: str, gate: str | None, expected: tuple[bool, bool]
) -> None:
    one = pod("p", state=state)
    one["status"]["conditions"][1:] = [] if gate is None else [{"type": "InPlaceUpdateReady", "status": gate}]

    assert (ready(one), available(one, 0, NOW)) == expected


@pytest.mark.parametrize(
    ("marks", "named", "excluded", "expected"),
    [
        (False, False, False, (["p2"], 0)),
        (True, False, False, ([], 0)),
        (False, True, False, ([], 0)),
        (True, False, True, ([], 1)),
    ],
    ids=[
        "fault B136: taken back",
        "fault B136: marked not ready",
        "fault B136: named",
        "fault B136: not counted",
    ],
)
def test_a_deletion_is_taken_back_where_that_is_possible(
    marks: bool, named: bool, excluded: bool, expected: tuple[list[str], int]
) -> None:
    scale = ({"podsToDelete": ["p2"]} if named else {}) | (
        {"excludePreparingDelete": True} if excluded else {}
    )
    lifecycle = {"preDelete": {**HELD["preDelete"], "markPodNotReady": marks}}

    plan = scaled(cloneset(replicas=3, lifecycle=lifecycle, scale=scale), "n✓×2 n✓(pd)")

    assert ([name_of(each) for each in plan.revive], plan.create_old + plan.create_new) == expected
    assert gone(plan) == []


def _labelled(name: str, instance: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {ID: instance}}}


def test_a_pod_that_ends_slowly_leaves_its_id_or_its_claim() -> None:
    """Fault B138: with reuse the id is taken again; without, the claim goes to the old pod."""
    ending, claim = _labelled("web-abcde", "abcde"), _labelled("data-web-abcde", "abcde")

    again = pick_instance_ids(1, pods=[ending], active=[], claims=[claim], draw=lambda: "fresh")
    handed = sort_claims([claim], active=[], inactive=[ending])

    assert again == ("abcde",)
    assert handed.orphaned == ((claim, ending),)


def test_scaled_to_nothing_the_new_revision_becomes_current() -> None:
    """Fault B142: back at five, all pods are new."""
    view = cloneset(replicas=0, partition=3)
    view.raw["status"] = {}

    plan = plan_status(view, [], NOW, current_revision=OLD, update_revision=NEW, collisions=0, failures=())

    assert plan.status["currentRevision"] == NEW


@pytest.mark.parametrize(
    ("label", "same"),
    [("web-7c9d", True), ("7c9d", True), ("web-api-7c9d", True), ("web-7C9D", False)],
    ids=lambda value: f"fault B144: {value}",
)
def test_revisions_are_told_by_their_last_segment(label: str, same: bool) -> None:
    assert has_revision(pod("p", label), "web-7c9d") is same


@pytest.mark.parametrize(
    ("percentage", "replicas", "kept"),
    [("7%", 100, 7), ("14%", 50, 7), ("28%", 25, 7), ("55%", 180, 99), ("16.1%", 1000, 162), ("65.4%", 500, 328)],
    ids=lambda value: f"fault B122: {value}",
)  # fmt: skip
def test_percentages_are_multiplied_before_they_are_divided(
    percentage: str, replicas: int, kept: int
) -> None:
    assert number.partition(percentage, replicas) == kept


@pytest.mark.parametrize(
    ("handler", "labels", "expected"),
    [
        ({"inPlaceUpdate": {"labelsHandler": {"ready": "true"}}}, {}, "Updated"),
        ({"inPlaceUpdate": {"labelsHandler": {"ready": "true"}}}, {"ready": "true"}, "Normal"),
        (None, {}, "Normal"),
        ({"preDelete": {"labelsHandler": {"x": "y"}}}, {}, "Updated"),
    ],
    ids=[
        "fault B110: unhooked",
        "fault B110: still hooked",
        "fault B110: no lifecycle",
        "fault B110: another hook",
    ],
)
def test_a_rollback_while_preparing_never_starts_the_update(
    handler: dict[str, Any] | None, labels: dict[str, str], expected: str
) -> None:
    waiting = pod("p", NEW, state="PreparingUpdate", labels=labels)

    assert next_state(waiting, handler, NEW) == expected


def _running(spec: str, status: str, image_id: str = "same") -> dict[str, Any]:
    one = pod("p", annotations={STATE: '{"lastContainerStatuses":{"main":{"imageID":"same"}}}'})
    one["spec"]["containers"] = [{"name": "main", "image": spec}]
    one["status"]["containerStatuses"] = [{"name": "main", "image": status, "imageID": image_id}]
    return one


@pytest.mark.parametrize(
    ("spec", "status", "complete"),
    [
        ("reg.example/app:v2", "reg.example/app:v1", False),
        ("reg.example/app:v2", "reg.example/app:v2", True),
        ("nginx", "nginx:latest", True),
        ("reg:5000/app", "reg:5000/app:latest", False),
        ("app@sha256:aa", "app:v1", False),
    ],
    ids=[
        "fault B100: another tag of the same image",
        "fault B100: the tag arrived",
        "fault B102: latest is implied",
        "fault B102: any colon counts as a tag",
        "fault B102: a digest",
    ],
)
def test_the_same_image_under_another_name(spec: str, status: str, complete: bool) -> None:
    assert pod_complete(_running(spec, status)) is complete


def test_a_container_without_status_is_not_complete() -> None:
    """Fault B108."""
    one = _running("nginx:2", "nginx:2", "other")
    one["metadata"]["annotations"][STATE] = (
        '{"lastContainerStatuses":{"main":{"imageID":"same"},"log":{"imageID":"same"}}}'
    )

    assert not pod_complete(one)


@pytest.mark.parametrize("key", ["inplace-update-state", STATE], ids=["fault B104: old key", "new key"])
def test_both_keys_of_the_state_are_read(key: str) -> None:
    one = _running("nginx:2", "nginx:1")
    one["metadata"]["annotations"] = {key: one["metadata"]["annotations"][STATE]}

    assert not pod_complete(one)


def test_of_both_keys_the_prefixed_one_wins() -> None:
    """Fault B104."""
    one = _running("nginx:2", "nginx:1")
    one["metadata"]["annotations"] = {
        "inplace-update-state": one["metadata"]["annotations"][STATE],
        STATE: "{}",
    }

    assert pod_complete(one)


@pytest.mark.parametrize(
    ("text", "complete"),
    [("", False), ("{'revision':'x'}", False), ("[]", False), ("null", True), ("{}", True)],
    ids=lambda value: f"fault B106: {value!r}",
)
def test_a_state_that_cannot_be_read_is_never_complete(text: str, complete: bool) -> None:
    assert pod_complete(pod("p", annotations={STATE: text})) is complete

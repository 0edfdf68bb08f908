"""The update phase against the worked examples (cloneset.md §14–16, §28)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.cloneset.calculator import calculate
from kubectl_kruise.engine.cloneset.member import members_for_update
from kubectl_kruise.engine.cloneset.ordering.order import update_order
from kubectl_kruise.engine.cloneset.update import (
    InPlace,
    Prepare,
    Recreate,
    Refuse,
    UpdatePlan,
    Wait,
    plan_update,
)
from kubectl_kruise.engine.cloneset.view import CloneSet
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.pod import has_revision
from kubectl_kruise.objects.raw import name_of
from tests.engine.cloneset.builders import NEW, NOW, OLD, cloneset, pod, pods, revision

TEMPLATE = {
    "metadata": {"labels": {"app": "demo"}},
    "spec": {"containers": [{"name": "main", "image": "a:1", "resources": {}}]},
}
IMAGE = {
    "metadata": {"labels": {"app": "demo"}},
    "spec": {"containers": [{"name": "main", "image": "a:2", "resources": {}}]},
}
ENV = {
    "metadata": {"labels": {"app": "demo"}},
    "spec": {"containers": [{"name": "main", "image": "a:1", "env": [{"name": "A"}], "resources": {}}]},
}
HOOK = {"inPlaceUpdate": {"finalizersHandler": ["slb/online"]}}


def plan(view: CloneSet, listed: list, new: dict = IMAGE) -> UpdatePlan:
    current, update = revision(OLD, TEMPLATE), revision(NEW, new, 2)
    members = members_for_update(view, listed, NEW, NOW)
    difference = calculate(view, members, current_revision=OLD, update_revision=NEW)
    return plan_update(view, members, difference, [current, update], current=current, update=update)


def names(found: UpdatePlan) -> list[str]:
    return [name_of(step.pod) for step in found.steps]


BUDGETS = [
    ("ex. 19: one of five", {}, "o✓×5", ["p0"]),
    ("ex. 20: two of ten", {"replicas": 10}, "o✓×10", ["p0", "p1"]),
    ("ex. 21: broken ones only", {"replicas": 10, "maxUnavailable": 2}, "o✗×3 o✓×7", ["p0", "p1"]),
    ("ex. 22: one new pod starting", {"replicas": 10, "maxUnavailable": 3}, "n✗ o✗×2 o✓×7", ["p1", "p2"]),
    ("ex. 23: new ones broken", {"maxUnavailable": 2}, "o✗×3 n✗×2", []),
    ("ex. 23: one of them up", {"maxUnavailable": 2}, "o✗×3 n✓ n✗", ["p0"]),
    ("ex. 24: partition", {"partition": 3}, "o✓×5", ["p0"]),
    ("ex. 24: held", {"partition": 3}, "o✓×3 n✓×2", []),
    ("ex. 26: surge pod up", {"replicas": 4, "maxUnavailable": 0, "maxSurge": 1}, "o✓×4 n✓", ["p0"]),
    ("ex. 25: held by 99%", {"partition": "99%", "maxUnavailable": 3, "maxSurge": 2}, "o✓×5 n✗", []),
    ("ex. 27: beside the surge pod", {"maxUnavailable": 1, "maxSurge": 1}, "o✓×5 n✗", ["p0"]),
    ("ex. 27: both are up", {"maxUnavailable": 1, "maxSurge": 1}, "o✓×4 n✓×2", ["p0", "p1"]),
    ("ex. 28: paused", {"paused": True, "maxUnavailable": 3}, "o✓×5", []),
    ("ex. 32: decimal maxUnavailable", {"replicas": 8, "maxUnavailable": "12.5%"}, "o✓×8", []),
    ("specified pods stay candidates", {"maxUnavailable": 1}, "oD o✓×4", ["p0"]),
    ("pods being deleted do not", {"maxUnavailable": 2}, "o✗(pd) o✓×4", ["p1"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "expected"), [case[1:] for case in BUDGETS], ids=[case[0] for case in BUDGETS]
)
def test_chooses_within_the_budget(spec: dict, text: str, expected: list[str]) -> None:
    found = plan(cloneset(**spec), pods(text))

    assert names(found) == expected
    assert all(isinstance(step, Recreate) for step in found.steps)


def test_on_delete_updates_nothing() -> None:  # ex. 18
    assert plan(cloneset(type="OnDelete", maxUnavailable=3), pods("o✓×5")).steps == ()


@pytest.mark.parametrize(
    ("gate", "policy", "expected", "step"),
    [
        (True, "ReCreate", ["p0", "p1"], Recreate),
        (True, "InPlaceIfPossible", ["p0", "p1"], InPlace),
        (False, "ReCreate", [], Recreate),
    ],
    ids=["ex. 29: labelled", "ex. 29: in place", "ex. 29: gate off"],
)
def test_a_raised_partition_takes_new_pods_back(
    gate: bool, policy: str, expected: list[str], step: type
) -> None:
    view = cloneset(type=policy, partition=4, maxUnavailable=2, gates=Gates(partition_rollback=gate))

    found = plan(view, pods("n✓×4 o✓"))

    assert names(found) == expected
    assert all(isinstance(each, step) for each in found.steps)


@pytest.mark.parametrize(
    ("policy", "new", "step"),
    [
        ("ReCreate", IMAGE, Recreate),
        ("InPlaceIfPossible", IMAGE, InPlace),
        ("InPlaceIfPossible", ENV, Recreate),
        ("InPlaceOnly", IMAGE, InPlace),
        ("InPlaceOnly", ENV, Refuse),
    ],
)
def test_policy_decides_how(policy: str, new: dict, step: type) -> None:  # §14.6
    found = plan(cloneset(type=policy, maxUnavailable=1), pods("o✓×5"), new)

    assert [type(each) for each in found.steps] == [step]


def test_refusal_names_the_pod() -> None:  # §14.6 [recorded]
    (step,) = plan(cloneset(type="InPlaceOnly", maxUnavailable=1), pods("o✓×5"), ENV).steps

    assert isinstance(step, Refuse)
    assert step.message == "find Pod p0 update strategy is InPlaceOnly but can not update in-place"


def test_a_revision_that_is_gone_means_recreate() -> None:  # ex. 34, last row
    (step,) = plan(cloneset(type="InPlaceIfPossible", replicas=1), [pod("p0", "demo-9999")]).steps

    assert isinstance(step, Recreate)


@pytest.mark.parametrize(
    ("state", "held", "step"),
    [
        ("Normal", False, InPlace),
        ("Normal", True, Prepare),
        ("PreparingNormal", False, InPlace),
        ("PreparingUpdate", True, Wait),
        ("PreparingUpdate", False, InPlace),
        ("Updating", True, InPlace),
        ("Updated", False, Prepare),
        ("Strange", False, Refuse),
    ],
)
def test_lifecycle_state_decides_what_now(state: str, held: bool, step: type) -> None:  # §14.6, second table
    view = cloneset(type="InPlaceIfPossible", maxUnavailable="100%", lifecycle=HOOK)
    one = pod("p0", OLD, state=state)
    one["metadata"]["finalizers"] = ["slb/online"] if held else []

    found = plan(view, [one])

    assert [type(each) for each in found.steps] == [step]


def test_a_pod_in_its_grace_period_is_no_candidate() -> None:  # ex. 37
    waiting = pod(
        "p0",
        OLD,
        state="Updating",
        annotations={"apps.kruise.io/inplace-update-grace": '{"revision":"demo-0000"}'},
    )

    assert plan(cloneset(type="InPlaceIfPossible", maxUnavailable=5), [waiting]).steps == ()


def ordered_as(view: CloneSet, listed: list) -> list:
    members = members_for_update(view, listed, NEW, NOW)
    return update_order(view, [member for member in members if not member.new], members)


def test_broken_pods_are_updated_first() -> None:  # §15.1, fact from the tests
    listed = [
        pod("0", OLD, phase="Pending", ready=True),
        pod("1", OLD, phase="Pending", ready=False),
        pod("3", OLD),
        pod("4", OLD, ready=False),
    ]

    ordered = ordered_as(cloneset(), listed)

    assert [member.name for member in ordered] == ["1", "0", "4", "3"]


def test_preparing_pods_come_before_all_others() -> None:  # §15.4
    listed = [pod("broken", OLD, up=False), pod("preparing", OLD, state="PreparingUpdate")]

    ordered = ordered_as(cloneset(), listed)

    assert [member.name for member in ordered] == ["preparing", "broken"]


SIDES = st.lists(st.sampled_from(["o✓", "o✗", "oD", "n✓", "n✗", "n✗(Updating)", "o✓(pd)"]), max_size=12)


@given(SIDES, st.integers(1, 10), st.integers(0, 10), st.integers(0, 3), st.integers(0, 5))
def test_never_breaks_more_than_allowed(
    sides: list[str], replicas: int, partition: int, surge: int, unavailable: int
) -> None:
    view = cloneset(replicas=replicas, partition=partition, maxSurge=surge, maxUnavailable=unavailable)
    listed = pods(" ".join(sides))
    members = members_for_update(view, listed, NEW, NOW)
    difference = calculate(view, members, current_revision=OLD, update_revision=NEW)
    down = sum(not member.available for member in members)
    down_new = sum(not member.available and member.new for member in members)

    found = plan(view, listed)

    chosen = names(found)
    assert len(chosen) <= min(difference.move, max(difference.ceiling - down_new, 0))  # §27.2 invariant 4
    broken = sum(member.available for member in members if member.name in chosen)
    assert broken <= max(difference.ceiling - down, 0)  # invariant 7
    assert not any(has_revision(step.pod, NEW) for step in found.steps)  # invariant 6

"""Owners of claims by the retention policy of a native StatefulSet."""

from typing import Any

import pytest

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.simulation.statefulset import retention
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet

SET = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "set", "controller": True}
POD = {"apiVersion": "v1", "kind": "Pod", "name": "web-0", "uid": "pod", "controller": True}
OTHER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "c"}


def view(scaled: str, deleted: str, replicas: int = 1) -> NativeSet:
    policy = {"whenScaled": scaled, "whenDeleted": deleted}
    spec = {"replicas": replicas, "persistentVolumeClaimRetentionPolicy": policy}
    return NativeSet({"metadata": {"name": "web", "uid": "set"}, "spec": spec})


def pod() -> Raw:
    return {"metadata": {"name": "web-0", "uid": "pod"}}


def claim(*owners: Raw) -> Raw:
    return {"metadata": {"name": "data-web-0", "ownerReferences": [*owners]}}


def owners(raw: Raw) -> list[str]:
    return [each["uid"] for each in raw["metadata"]["ownerReferences"]]


@pytest.mark.parametrize(
    ("scaled", "deleted", "replicas", "wanted"),
    [
        ("Retain", "Retain", 1, []),
        ("Retain", "Retain", 0, []),
        ("Retain", "Delete", 1, ["set"]),
        ("Retain", "Delete", 0, ["set"]),
        ("Delete", "Retain", 1, []),
        ("Delete", "Retain", 0, ["pod"]),
        ("Delete", "Delete", 1, ["set"]),
        ("Delete", "Delete", 0, ["pod"]),
        ("Odd", "Delete", 0, ["set"]),
    ],
)
@pytest.mark.parametrize("held", [[], [SET], [POD], [SET, POD], [SET | {"controller": False}]], ids=len)
def test_the_policy_decides(
    scaled: str, deleted: str, replicas: int, wanted: list[str], held: list[Raw]
) -> None:
    of_set, before = view(scaled, deleted, replicas), claim(OTHER, *held)
    after = retention.with_owners(of_set, pod(), before)
    loose = any(not each["controller"] for each in held)

    assert owners(after) == ["c", *wanted]
    assert retention.up_to_date(of_set, pod(), after)
    assert retention.up_to_date(of_set, pod(), before) == (owners(before) == owners(after) and not loose)


@pytest.mark.parametrize(
    ("held", "contested", "fine"),
    [
        ([OTHER | {"controller": True}], True, True),
        ([OTHER | {"controller": True}, SET], True, False),
        ([SET | {"uid": "earlier"}], True, True),
        ([POD | {"uid": "earlier"}], True, True),
        ([OTHER], False, False),
    ],
    ids=[
        "another controls it",
        "both do",
        "an earlier set",
        "an earlier pod",
        "an owner that does not control",
    ],
)
def test_claims_of_others_are_left_alone(held: list[Any], contested: bool, fine: bool) -> None:
    of_set = view("Delete", "Delete")

    assert retention.contested(of_set, pod(), claim(*held)) == contested
    assert retention.up_to_date(of_set, pod(), claim(*held)) == fine
    assert not retention.contested(view("Retain", "Retain"), pod(), claim(*held))


@pytest.mark.parametrize(("scaled", "waits"), [("Delete", True), ("Retain", False)])
def test_a_pod_waits_for_the_claims_of_its_namesake(scaled: str, waits: bool) -> None:
    left = claim(POD | {"uid": "earlier"})

    assert retention.left_by_namesake(view(scaled, "Retain"), pod(), left) == waits

"""A CloneSet as the engine reads it, in either version (cloneset.md §1.8, §4, §6)."""

from typing import Any

import pytest

from kubectl_kruise.engine.cloneset.view import CloneSet, read_cloneset


def read(version: str = "v1alpha1", labels: dict | None = None, **spec: Any) -> CloneSet:
    meta = {"name": "demo", "labels": labels or {}}
    return read_cloneset(
        {"apiVersion": f"apps.kruise.io/{version}", "kind": "CloneSet", "metadata": meta, "spec": spec}
    )


def test_defaults() -> None:  # §4
    view = read()

    assert (view.replicas, view.history, view.min_ready, view.policy) == (1, 10, 0, "ReCreate")
    assert (view.partition, view.surge, view.unavailable, view.scale_unavailable) == (0, 0, 1, 2147483647)
    assert (view.paused, view.deadline, view.grace_seconds, view.lifecycle) == (False, None, 0, None)


def test_both_versions_read_alike() -> None:
    switches = {
        "partition": "40%",
        "maxUnavailable": "20%",
        "maxSurge": 1,
        "paused": False,
        "inPlaceUpdateStrategy": {"gracePeriodSeconds": 10},
        "scatterStrategy": [{"key": "a", "value": "b"}],
        "priorityStrategy": {"orderPriority": [{"orderedKey": "a"}]},
    }
    flat = read(replicas=5, updateStrategy={"type": "InPlaceIfPossible", **switches})
    rolling = {"podUpdatePolicy": "InPlaceIfPossible", **switches}
    nested = read("v1beta1", replicas=5, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})

    for name in (
        "policy",
        "partition",
        "surge",
        "unavailable",
        "grace_seconds",
        "scatter",
        "priority",
        "expected_updated",
    ):
        assert getattr(flat, name) == getattr(nested, name), name
    assert (flat.policy, flat.partition, flat.surge, flat.unavailable, flat.grace_seconds) == (
        "InPlaceIfPossible",
        2,
        1,
        1,
        10,
    )


@pytest.mark.parametrize(
    ("version", "scale", "reuse"),
    [
        ("v1alpha1", {}, True),
        ("v1alpha1", {"disablePVCReuse": True}, False),
        ("v1beta1", {}, False),
        ("v1beta1", {"enablePVCReuse": True}, True),
    ],
)
def test_reuse_of_claims(version: str, scale: dict, reuse: bool) -> None:
    assert read(version, scaleStrategy=scale).reuse_claims is reuse


@pytest.mark.parametrize(("value", "excluded"), [("true", True), ("True", False), (None, False)])
def test_excluded_by_label(value: str | None, excluded: bool) -> None:
    label = "apps.kruise.io/cloneset-scaling-exclude-preparing-delete"

    assert read(labels={label: value} if value else {}).exclude_preparing_delete is excluded


@pytest.mark.parametrize(("replicas", "unavailable"), [(4, 0), (5, 1)])
def test_on_delete_rounds_down(replicas: int, unavailable: int) -> None:  # §6.4, Q5
    view = read("v1beta1", replicas=replicas, updateStrategy={"type": "OnDelete"})

    assert (view.on_delete, view.rolling, view.unavailable, view.expected_updated) == (
        True,
        False,
        unavailable,
        replicas,
    )


def test_pausing_takes_the_surge_away() -> None:
    assert read(replicas=5, updateStrategy={"maxSurge": 3, "paused": True}).surge == 0


def test_the_largest_deadline_means_none() -> None:
    assert read(progressDeadlineSeconds=2147483647).deadline is None
    assert read(progressDeadlineSeconds=600).deadline == 600

"""The two versions of a CloneSet (cloneset.md §1.8)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.engine.cloneset.conversion import convert_cloneset

LABEL = "apps.kruise.io/cloneset-scaling-exclude-preparing-delete"
PREFIX = "apps.kruise.io/image-predownload-"


def cloneset(version: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
    }
    base = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {
        "apiVersion": f"apps.kruise.io/{version}", "kind": "CloneSet",
        "metadata": {"name": "web", **metadata}, "spec": {**base, **spec},
    }  # fmt: skip


def to_beta(strategy: dict[str, Any], **metadata: Any) -> Any:
    found = convert_cloneset(cloneset("v1alpha1", {"updateStrategy": strategy}, **metadata), "v1beta1")
    return found["spec"]["updateStrategy"]


def to_alpha(strategy: dict[str, Any]) -> Any:
    return convert_cloneset(cloneset("v1beta1", {"updateStrategy": strategy}), "v1alpha1")


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        pytest.param(
            {"type": "InPlaceIfPossible", "partition": 2, "maxUnavailable": "20%", "maxSurge": 1},
            {"type": "RollingUpdate", "rollingUpdate": {
                "podUpdatePolicy": "InPlaceIfPossible", "partition": 2, "maxUnavailable": "20%", "maxSurge": 1}},
            id="§28 ex. 57",
        ),
        pytest.param({"type": "OnDelete", "partition": 2, "paused": True}, {"type": "OnDelete"}, id="OnDelete loses all else"),
        pytest.param({}, {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "ReCreate"}}, id="no type"),
        pytest.param({"type": "Odd"}, {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "ReCreate"}}, id="unknown type"),
        pytest.param(
            {"type": "InPlaceOnly", "inPlaceUpdateStrategy": {}},
            {"type": "RollingUpdate", "rollingUpdate": {"podUpdatePolicy": "InPlaceOnly", "inPlaceUpdateStrategy": {}}},
            id="an empty block stays",
        ),
    ],
)  # fmt: skip
def test_strategies_of_v1alpha1(alpha: Any, beta: Any) -> None:
    assert to_beta(alpha) == beta


@pytest.mark.parametrize(
    ("annotations", "fields"),
    [
        ({"parallelism": "3"}, {"imagePreDownloadParallelism": 3}),
        ({"parallelism": "10%"}, {"imagePreDownloadParallelism": "10%"}),
        ({"timeout-seconds": "60"}, {"imagePreDownloadTimeoutSeconds": 60}),
        ({"timeout-seconds": "1m"}, {}),
        ({"timeout-seconds": "2147483648"}, {}),
        ({"min-updated-ready-pods": "2"}, {"imagePreDownloadMinUpdatedReadyPods": 2}),
        ({"min-updated-ready-pods": "50%"}, {}),
        ({"parallelism": ""}, None),
        ({}, None),
    ],
)
def test_annotations_become_fields(annotations: dict[str, str], fields: Any) -> None:
    found = to_beta(
        {"type": "ReCreate"}, annotations={PREFIX + name: text for name, text in annotations.items()}
    )

    assert found["rollingUpdate"].get("inPlaceUpdateStrategy") == fields


def test_fields_become_annotations_and_the_keys_v1alpha1_ignores_are_gone() -> None:
    fields = {
        "imagePreDownloadParallelism": "5",
        "imagePreDownloadTimeoutSeconds": 9,
        "imagePreDownloadMinUpdatedReadyPods": 1,
    }
    found = to_alpha({"type": "RollingUpdate", "rollingUpdate": {"inPlaceUpdateStrategy": fields}})

    assert found["metadata"]["annotations"] == {
        f"{PREFIX}parallelism": "5", f"{PREFIX}timeout-seconds": "9", f"{PREFIX}min-updated-ready-pods": "1",
    }  # fmt: skip
    assert found["spec"]["updateStrategy"] == {"type": "ReCreate", "inPlaceUpdateStrategy": {}}


@pytest.mark.parametrize(
    ("beta", "alpha"),
    [
        ({"type": "OnDelete"}, {"type": "OnDelete"}),
        ({"type": "OnDelete", "rollingUpdate": {"partition": 1, "podUpdatePolicy": "InPlaceOnly"}}, {"type": "OnDelete", "partition": 1}),
        ({"type": "RollingUpdate"}, {"type": "ReCreate"}),
        ({"rollingUpdate": {"podUpdatePolicy": "InPlaceOnly", "inPlaceUpdateStrategy": {}}}, {"type": "InPlaceOnly"}),
    ],
    ids=["OnDelete", "OnDelete with a block", "no block", "an empty block goes"],
)  # fmt: skip
def test_strategies_of_v1beta1(beta: Any, alpha: Any) -> None:
    assert to_alpha(beta)["spec"]["updateStrategy"] == alpha


@pytest.mark.parametrize(
    ("version", "scale", "labels", "expected"),
    [
        ("v1alpha1", None, {}, {"enablePVCReuse": True}),
        ("v1alpha1", {"disablePVCReuse": True}, {}, {}),
        ("v1alpha1", {}, {LABEL: "true"}, {"enablePVCReuse": True, "excludePreparingDelete": True}),
        ("v1alpha1", {}, {LABEL: "True"}, {"enablePVCReuse": True}),
        ("v1beta1", None, {}, {"disablePVCReuse": True}),
        ("v1beta1", {"enablePVCReuse": True, "excludePreparingDelete": True}, {}, {}),
        ("v1beta1", {"podsToDelete": ["a"], "maxUnavailable": 1}, {}, {"podsToDelete": ["a"], "maxUnavailable": 1, "disablePVCReuse": True}),
    ],
)  # fmt: skip
def test_scale_strategies(version: str, scale: Any, labels: dict[str, str], expected: Any) -> None:
    raw = cloneset(version, {} if scale is None else {"scaleStrategy": scale}, labels=labels)
    other = "v1alpha1" if version == "v1beta1" else "v1beta1"

    found = convert_cloneset(raw, other)

    assert found["spec"]["scaleStrategy"] == expected
    assert found["metadata"].get("labels") == labels


shares = st.integers(0, 9) | st.integers(0, 100).map("{}%".format)
strategies = st.fixed_dictionaries(
    {"type": st.sampled_from(["ReCreate", "InPlaceIfPossible", "InPlaceOnly"])},
    optional={
        "partition": shares, "maxUnavailable": shares, "maxSurge": shares, "paused": st.just(True),
        "scatterStrategy": st.just([{"key": "a", "value": "b"}]),
        "inPlaceUpdateStrategy": st.fixed_dictionaries({"gracePeriodSeconds": st.integers(1, 60)}),
    },
)  # fmt: skip
scales = st.fixed_dictionaries(
    {},
    optional={"disablePVCReuse": st.just(True), "maxUnavailable": shares, "podsToDelete": st.just(["web-a"])},
)


@given(strategies, scales)
def test_what_v1alpha1_can_say_comes_back(strategy: dict[str, Any], scale: dict[str, Any]) -> None:
    """And the way there is the same again: conversion is idempotent from then on."""
    raw = cloneset("v1alpha1", {"updateStrategy": strategy, "scaleStrategy": scale})

    there = convert_cloneset(raw, "v1beta1")
    back = convert_cloneset(there, "v1alpha1")

    assert (back["spec"]["updateStrategy"], back["spec"]["scaleStrategy"]) == (strategy, scale)
    assert convert_cloneset(back, "v1beta1") == there
    assert back["metadata"] == raw["metadata"]

"""Validation of v1beta1 CloneSets (cloneset.md §5.4): what the other version refuses too, and what it does not."""

from typing import Any

import pytest

from kubectl_kruise.engine.admission.cloneset_validation import validate_cloneset

ROLLING = "spec.updateStrategy.rollingUpdate"
BLOCK = {"partition": 0, "maxUnavailable": 1, "maxSurge": 0}


def complaints(*, old: dict[str, Any] | None = None, **spec: Any) -> list[tuple[str, str]]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    base = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    raw = {"apiVersion": "apps.kruise.io/v1beta1", "kind": "CloneSet", "metadata": {"name": "web"}}
    before = None if old is None else {**raw, "spec": base | old}
    found = validate_cloneset({**raw, "spec": base | spec}, before, lambda _: None)
    return [(each.field, each.message) for each in found]


def strategy(**rolling: Any) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": BLOCK | rolling}


REFUSED = [
    ("§28 ex. 58", strategy(podUpdatePolicy="ReCreate", maxUnavailable=0, maxSurge=1), f"{ROLLING}.maxUnavailable"),
    ("a type of v1alpha1", {"type": "InPlaceOnly"}, "spec.updateStrategy.type"),
    ("an unknown policy", strategy(podUpdatePolicy="Sometimes"), f"{ROLLING}.podUpdatePolicy"),
    ("surge in place only", strategy(podUpdatePolicy="InPlaceOnly", maxSurge=1), f"{ROLLING}.maxSurge"),
    ("OnDelete with half a block", {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 1}}, f"{ROLLING}.partition"),
    *(
        (f"parallelism {share}", strategy(inPlaceUpdateStrategy={"imagePreDownloadParallelism": share}),
         f"{ROLLING}.inPlaceUpdateStrategy.imagePreDownloadParallelism")
        for share in ("10%", "-1", -1, "abc", "2147483648")
    ),
    ("timeout", strategy(inPlaceUpdateStrategy={"imagePreDownloadTimeoutSeconds": -1}),
     f"{ROLLING}.inPlaceUpdateStrategy.imagePreDownloadTimeoutSeconds"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "field"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(given: dict[str, Any], field: str) -> None:
    assert [found[0] for found in complaints(updateStrategy=given)] == [field]


@pytest.mark.parametrize(
    "spec",
    [
        {"updateStrategy": {"type": "OnDelete"}},
        {"updateStrategy": strategy(inPlaceUpdateStrategy={"imagePreDownloadParallelism": "3"})},
        {"updateStrategy": strategy(), "scaleStrategy": {"podsToDelete": ["nobody-has-it"]}},
        {"updateStrategy": strategy(), "progressDeadlineSeconds": -1, "minReadySeconds": 10},
    ],
    ids=["OnDelete alone", "a number as text", "a name of no pod (Q3)", "any deadline"],
)
def test_let_in(spec: dict[str, Any]) -> None:
    assert complaints(**spec) == []


def test_in_place_only_lets_any_change_in() -> None:
    """cloneset.md §1.9"""
    rolling = strategy(podUpdatePolicy="InPlaceOnly")
    env = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
        {"name": "main", "image": "nginx:1", "env": [{"name": "A", "value": "b"}]}]}}  # fmt: skip

    assert complaints(old={"updateStrategy": rolling}, updateStrategy=rolling, template=env) == []

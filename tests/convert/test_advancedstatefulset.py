"""Advanced StatefulSets become StatefulSets, where these can do it (migration.md §3.5, §11.1)."""

from typing import Any

import pytest

from kubectl_kruise.convert.advancedstatefulset import (
    NativeTarget,
    asts_to_statefulset,
    check_convertible,
    refusals,
)
from kubectl_kruise.convert.defaults import fill_asts
from kubectl_kruise.convert.statefulset import statefulset_to_asts
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw, dig
from tests.convert.sets import CLAIM, asts, rolling, statefulset

GATES = [{"conditionType": "InPlaceUpdateReady"}, {"conditionType": "x/y"}]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="as it comes"),
        pytest.param({"minReadySeconds": 30, "updateStrategy": rolling(partition=2)}, id="switches"),
        pytest.param({"updateStrategy": {"type": "OnDelete"}}, id="OnDelete"),
        pytest.param({"ordinals": {"start": 5}, "volumeClaimTemplates": [CLAIM]}, id="ordinals and claims"),
        pytest.param(
            {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Delete"}}, id="retention"
        ),
        pytest.param({"replicas": 0, "podManagementPolicy": "Parallel"}, id="without pods"),
    ],
)  # fmt: skip
def test_there_and_back(spec: Raw) -> None:
    source = statefulset(**spec)
    back = asts_to_statefulset(statefulset_to_asts(source).obj).obj
    assert back["spec"] == source["spec"]


def test_only_the_gate_of_kruise_goes() -> None:
    """migration.md §11.1 row 28."""
    template = statefulset()["spec"]["template"]
    template["spec"]["readinessGates"] = GATES
    made = asts_to_statefulset(asts(template=template)).obj
    assert made["spec"]["template"]["spec"]["readinessGates"] == GATES[1:]


@pytest.mark.parametrize(
    ("spec", "target", "start", "refused"),
    [
        pytest.param({"reserveOrdinals": [0, 1]}, NativeTarget(), 2, "", id="migration.md §11.1 row 27"),
        pytest.param({"reserveOrdinals": ["0-4"]}, NativeTarget(), 5, "", id="row 27, as a range"),
        pytest.param({"reserveOrdinals": [1, 3]}, NativeTarget(), 0, "leave out 1, 3", id="row 27: holes"),
        pytest.param({"reserveOrdinals": [0, "2-4"]}, NativeTarget(), 1, "leave out 2-4", id="a hole behind the start"),
        pytest.param({"ordinals": {"start": 3}}, NativeTarget(), 3, "", id="its own start"),
        pytest.param(
            {"ordinals": {"start": 3}}, NativeTarget(honours_start=False), 0, "", id="a start that nobody goes by"
        ),
        pytest.param({"ordinals": {"start": 3}, "reserveOrdinals": [1, 3]}, NativeTarget(), 4, "", id="both"),
        pytest.param({"reserveOrdinals": [0]}, NativeTarget(ordinals=False), 1, "only from 0", id="an old server"),
        pytest.param({"reserveOrdinals": []}, NativeTarget(), 0, "", id="none"),
    ],
)  # fmt: skip
def test_reserved_ordinals(spec: Raw, target: NativeTarget, start: int, refused: str) -> None:
    source = asts(**spec)
    made = asts_to_statefulset(source, target).obj["spec"]
    assert made.get("ordinals") == ({"start": start} if start else None)
    found = list(refusals(source, target))
    assert len(found) == bool(refused)
    assert all(refused in text for text in found)
    if refused:
        with pytest.raises(RefusedError, match='cannot make a StatefulSet of asts "db"'):
            check_convertible(source, target)


@pytest.mark.parametrize(
    ("value", "target", "made", "dropped"),
    [
        pytest.param(1, NativeTarget(), None, False, id="one at a time"),
        pytest.param("40%", NativeTarget(), None, True, id="the gate is off"),
        pytest.param("40%", NativeTarget(max_unavailable=True), "40%", False, id="the gate is on"),
    ],
)
def test_max_unavailable_is_behind_a_gate(
    value: Any, target: NativeTarget, made: Any, *, dropped: bool
) -> None:
    result = asts_to_statefulset(asts({"maxUnavailable": value}, podManagementPolicy="Parallel"), target)
    assert dig(result.obj, ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")) == made
    assert bool(result.dropped) is dropped


def test_what_statefulsets_lack_is_dropped_with_a_word() -> None:
    """migration.md §3.5."""
    result = asts_to_statefulset(
        asts(
            {
                "unorderedUpdate": {"priorityStrategy": {"orderPriority": [{"orderedKey": "o"}]}},
                "inPlaceUpdateStrategy": {"gracePeriodSeconds": 5},
                "podUpdatePolicy": "InPlaceOnly",
                "paused": True,
            },
            lifecycle={"preDelete": {"labelsHandler": {"a": "b"}}},
            scaleStrategy={"maxUnavailable": 1},
            volumeClaimUpdateStrategy={"type": "OnPodRollingUpdate"},
        )
    )
    assert {fate.path.rpartition(".")[2] for fate in result.dropped} == {
        "lifecycle", "scaleStrategy", "volumeClaimUpdateStrategy", "unorderedUpdate", "inPlaceUpdateStrategy",
    }  # fmt: skip
    assert {fate.path.rpartition(".")[2] for fate in result.changed} == {"podUpdatePolicy", "paused"}
    assert [remark.code for remark in result.remarks] == ["W-INPLACEONLY"]
    assert result.obj["spec"]["updateStrategy"] == rolling(partition=3)


def test_pull_policies_are_those_of_kruise_in_files() -> None:
    """migration.md §3.6: without a word Kruise pulls always."""
    source = asts()
    del source["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"]
    assert (
        dig(fill_asts(source), ("spec", "template", "spec", "containers", 0, "imagePullPolicy")) == "Always"
    )

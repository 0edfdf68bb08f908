"""StatefulSets become Advanced StatefulSets that behave the same (migration.md §3.2, §11.1, advanced-statefulset.md §21.10)."""

from typing import Any

import pytest

from kubectl_kruise.convert.defaults import fill_statefulset
from kubectl_kruise.convert.report import Conversion
from kubectl_kruise.convert.statefulset import SetTarget, objections, statefulset_to_asts, unknown_fields
from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw, dig
from tests.convert.sets import CLAIM, rolling, statefulset

IN_PLACE = SetTarget(policy="InPlaceIfPossible")
GATE = {"conditionType": "InPlaceUpdateReady"}
OWN_GATE = {"conditionType": "example.com/x"}
RETAIN = {"whenDeleted": "Retain", "whenScaled": "Retain"}


def convert(target: SetTarget = SetTarget(), metadata: Raw | None = None, **spec: Any) -> Conversion:  # noqa: B008 - immutable
    return statefulset_to_asts(statefulset(metadata, **spec), target)


def strategy_of(result: Conversion) -> Raw:
    found: Raw = dig(result.obj, ("spec", "updateStrategy", "rollingUpdate"))
    return found


def test_defaults_become_explicit() -> None:
    """migration.md §11.1 row 15, §2.2 A12."""
    noisy = {**CLAIM, "apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}}
    noisy["metadata"] = {"name": "data", "creationTimestamp": None, "labels": {"tier": "db"}}
    result = convert(volumeClaimTemplates=[noisy])
    assert result.obj == {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": {
            "replicas": 3,
            "serviceName": "db",
            "selector": {"matchLabels": {"app": "db"}},
            "template": statefulset()["spec"]["template"],
            "podManagementPolicy": "OrderedReady",
            "revisionHistoryLimit": 10,
            "persistentVolumeClaimRetentionPolicy": RETAIN,
            "volumeClaimTemplates": [{"metadata": {"name": "data", "labels": {"tier": "db"}}, "spec": CLAIM["spec"]}],
            "updateStrategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {
                    "partition": 0, "maxUnavailable": 1, "podUpdatePolicy": "ReCreate", "paused": False,
                    "minReadySeconds": 0,
                },
            },
        },
    }  # fmt: skip
    assert (result.changed, result.dropped, result.remarks) == ((), (), ())


def test_the_worked_example_from_a_file() -> None:
    """advanced-statefulset.md §21.10 X-107."""
    source = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "replicas": 3,
            "serviceName": "db",
            "minReadySeconds": 20,
            "selector": {"matchLabels": {"app": "db"}},
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"partition": 1, "maxUnavailable": 2},
            },
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "db", "image": "pg:16"}]},
            },
        },
    }
    result = statefulset_to_asts(fill_statefulset(source))
    assert strategy_of(result) == {
        "partition": 1, "minReadySeconds": 20, "maxUnavailable": 1, "podUpdatePolicy": "ReCreate", "paused": False,
    }  # fmt: skip
    assert dig(result.obj, ("spec", "template", "spec", "containers", 0, "imagePullPolicy")) == "IfNotPresent"
    assert "minReadySeconds" not in result.obj["spec"]
    assert [fate.path for fate in result.dropped] == ["spec.updateStrategy.rollingUpdate.maxUnavailable"]


@pytest.mark.parametrize(
    ("seconds", "moved", "clamped"),
    [
        pytest.param(30, 30, False, id="fault B017, migration.md §11.1 row 16"),
        pytest.param(300, 300, False, id="the greatest"),
        pytest.param(600, 300, True, id="fault B017: beyond it"),
    ],
)
def test_min_ready_seconds_move(seconds: int, moved: int, *, clamped: bool) -> None:
    result = convert(minReadySeconds=seconds)
    assert strategy_of(result)["minReadySeconds"] == moved
    assert "minReadySeconds" not in result.obj["spec"]
    assert [fate.path for fate in result.changed] == ["spec.minReadySeconds"]
    assert (str(seconds) in result.changed[0].why) is clamped


def test_on_delete_has_no_place_for_anything_else() -> None:
    """migration.md §11.1 row 17, advanced-statefulset.md §21.10 X-108."""
    result = convert(updateStrategy={"type": "OnDelete"}, minReadySeconds=30)
    assert result.obj["spec"]["updateStrategy"] == {"type": "OnDelete"}
    assert [fate.path for fate in result.dropped] == ["spec.minReadySeconds"]


@pytest.mark.parametrize(
    ("policy", "value", "made", "dropped"),
    [
        pytest.param("Parallel", "40%", "40%", 0, id="migration.md §11.1 row 19"),
        pytest.param("Parallel", 3, 3, 0, id="a number"),
        pytest.param("OrderedReady", 2, 1, 1, id="migration.md §11.1 row 20"),
        pytest.param("OrderedReady", "25%", 1, 1, id="a share beside OrderedReady"),
        pytest.param("OrderedReady", 1, 1, 0, id="one at a time"),
    ],
)
def test_more_than_one_at_a_time_needs_parallel(
    policy: str, value: int | str, made: int | str, dropped: int
) -> None:
    result = convert(podManagementPolicy=policy, updateStrategy=rolling(maxUnavailable=value))
    assert strategy_of(result)["maxUnavailable"] == made
    assert len(result.dropped) == dropped


@pytest.mark.parametrize(
    ("start", "target", "made"),
    [
        pytest.param(0, SetTarget(), {}, id="from zero"),
        pytest.param(2, SetTarget(), {"reserveOrdinals": [0, 1]}, id="migration.md §11.1 row 21"),
        pytest.param(2, SetTarget(ranges=False), {"reserveOrdinals": [0, 1]}, id="migration.md §11.1 row 22"),
        pytest.param(
            2, SetTarget(start_gate=True), {"ordinals": {"start": 2}}, id="the gate is known to be on"
        ),
        pytest.param(5000, SetTarget(), {"reserveOrdinals": ["0-4999"]}, id="a long range"),
    ],
)
def test_the_first_ordinal_stays(start: int, target: SetTarget, made: Raw) -> None:
    """migration.md §2.2 A10: without the gate the pods would be numbered from 0."""
    spec = convert(target, ordinals={"start": start}).obj["spec"]
    assert {key: value for key, value in spec.items() if "rdinals" in key} == made


def test_a_retention_policy_stays() -> None:
    """migration.md §11.1 row 24."""
    policy = {"whenDeleted": "Delete", "whenScaled": "Retain"}
    assert (
        convert(persistentVolumeClaimRetentionPolicy=policy).obj["spec"][
            "persistentVolumeClaimRetentionPolicy"
        ]
        == policy
    )
    spec = convert(persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete"}).obj["spec"]
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Delete"}


@pytest.mark.parametrize("held", [None, [OWN_GATE], [GATE, OWN_GATE]])
def test_updates_in_place_need_their_gate_once(held: list[Raw] | None) -> None:
    """migration.md §11.1 row 25, §2.2 A15."""
    template = statefulset()["spec"]["template"]
    if held is not None:
        template["spec"]["readinessGates"] = held
    source = statefulset(template=template)
    result = statefulset_to_asts(source, IN_PLACE)
    gates = result.obj["spec"]["template"]["spec"]["readinessGates"]
    assert gates.count(GATE) == 1
    assert gates.count(OWN_GATE) == (0 if held is None else 1)
    assert strategy_of(result)["podUpdatePolicy"] == "InPlaceIfPossible"
    assert strategy_of(result)["inPlaceUpdateStrategy"] == {"gracePeriodSeconds": 10}
    assert source == statefulset(template=template)


def test_on_delete_is_never_in_place() -> None:
    result = convert(IN_PLACE, updateStrategy={"type": "OnDelete"})
    assert "readinessGates" not in result.obj["spec"]["template"]["spec"]
    assert [remark.code for remark in result.remarks] == ["P-INPLACE"]


def test_the_old_version_has_fewer_fields() -> None:
    """migration.md §2.2 A14: what it lacks would be dropped without a word."""
    spec = convert(SetTarget(version="v1alpha1")).obj["spec"]
    assert "persistentVolumeClaimRetentionPolicy" not in spec
    assert spec["updateStrategy"]["rollingUpdate"]["partition"] == 0


@pytest.mark.parametrize(
    ("target", "spec", "code"),
    [
        pytest.param(SetTarget(), {"minReadySeconds": 900}, "P-MINREADY", id="migration.md §11.1 row 18"),
        pytest.param(SetTarget(clamp=True), {"minReadySeconds": 900}, "", id="row 18, clamped"),
        pytest.param(
            SetTarget(), {"minReadySeconds": 900, "updateStrategy": {"type": "OnDelete"}}, "", id="dropped anyway"
        ),
        pytest.param(SetTarget(version="v1alpha1"), {"ordinals": {"start": 5}}, "P-V1ALPHA1", id="row 23"),
        pytest.param(
            SetTarget(version="v1alpha1"), {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}},
            "P-V1ALPHA1", id="row 23: a retention policy",
        ),
        pytest.param(SetTarget(version="v1alpha1"), {}, "", id="nothing that the old version lacks"),
        pytest.param(SetTarget(ranges=False), {"ordinals": {"start": 1001}}, "P-ORD", id="too many to reserve"),
        pytest.param(SetTarget(ranges=False), {"ordinals": {"start": 1000}}, "", id="as many as can be"),
        pytest.param(SetTarget(ranges=False, start_gate=True), {"ordinals": {"start": 1001}}, "", id="or the gate"),
    ],
)  # fmt: skip
def test_what_stands_against_it(target: SetTarget, spec: Raw, code: str) -> None:
    assert [each.code for each in objections(statefulset(**spec), target)] == ([code] if code else [])


def test_fields_of_the_future_are_named() -> None:
    source = statefulset(futureKnob=1)
    assert unknown_fields(source) == ("spec.futureKnob",)
    assert [fate.path for fate in statefulset_to_asts(source).dropped] == ["spec.futureKnob"]


@pytest.mark.parametrize(
    ("version", "strategy"),
    [("apps/v1", "RollingUpdate"), ("apps/v1beta2", "RollingUpdate"), ("apps/v1beta1", "OnDelete")],
)
def test_old_versions_in_files(version: str, strategy: str) -> None:
    source = statefulset(
        updateStrategy=None, podManagementPolicy=None, replicas=None, revisionHistoryLimit=None
    )
    filled = fill_statefulset({**source, "apiVersion": version})
    assert filled["apiVersion"] == "apps/v1"
    assert filled["spec"]["updateStrategy"]["type"] == strategy
    assert (filled["spec"]["replicas"], filled["spec"]["revisionHistoryLimit"]) == (1, 10)
    assert filled["spec"]["podManagementPolicy"] == "OrderedReady"


def test_claims_without_names_are_refused() -> None:
    with pytest.raises(RefusedError, match="volumeClaimTemplates"):
        fill_statefulset(statefulset(volumeClaimTemplates=[{"spec": {}}]))

"""Volume claims of a set: owners, names, growth (advanced-statefulset.md §16, examples X-90 to X-96)."""

from typing import Any

import pytest

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.statefulset.claims import (
    Growth,
    Owners,
    claim_ready,
    completed,
    count_claims,
    growth,
    may_grow,
    new_claims,
    owners_by_policy,
    owners_match,
    stale_claim,
    with_owners,
)
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from tests.engine.statefulset.builders import decide, pod, revision, situation, statefulset

R1 = revision("r1")
SET = {"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet", "name": "web", "uid": "set"}
FOREIGN = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "other"}


def _of_pod(ordinal: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "name": f"web-{ordinal}", "uid": f"uid-web-{ordinal}"}


def _template(size: str = "1Gi", storage_class: str | None = None, name: str = "data", **meta: Any) -> Any:
    spec: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    return {"metadata": {"name": name, **meta}, "spec": spec}


def _claim(
    size: str = "1Gi", has: str = "", *owners: Any, storage_class: str | None = None, **conditions: str
) -> Any:
    claim = _template(size, storage_class, "data-web-0", ownerReferences=list(owners))
    status = {
        "capacity": {"storage": has or size},
        "conditions": [{"type": kind, "status": value} for kind, value in conditions.items()],
    }
    return {**claim, "status": status}


def _set(scaled: str = "Retain", deleted: str = "Retain", **more: Any) -> AdvancedStatefulSet:
    retention = {"whenScaled": scaled, "whenDeleted": deleted}
    templates = more.pop("volumeClaimTemplates", [_template()])
    return statefulset(
        "PA n 2", volumeClaimTemplates=templates, persistentVolumeClaimRetentionPolicy=retention, **more
    )


@pytest.mark.parametrize(
    ("scaled", "deleted", "down", "expected"),
    [
        pytest.param("Delete", "Retain", True, Owners(by_set=False, by_pod=True), id="X-90"),
        pytest.param("Delete", "Retain", False, Owners(by_set=False, by_pod=False), id="X-90 in range"),
        pytest.param("Delete", "Delete", False, Owners(by_set=True, by_pod=False), id="X-91"),
        pytest.param("Delete", "Delete", True, Owners(by_set=False, by_pod=True), id="X-91 condemned"),
        pytest.param("Retain", "Retain", False, Owners(by_set=False, by_pod=False), id="§16.3 retained"),
        pytest.param("Retain", "Retain", True, Owners(by_set=False, by_pod=False), id="§16.3 and condemned"),
        pytest.param("Retain", "Delete", False, Owners(by_set=True, by_pod=False), id="§16.3 with the set"),
        pytest.param("Retain", "Delete", True, Owners(by_set=True, by_pod=False), id="§16.3 and condemned"),
        pytest.param("Keep", "Delete", True, Owners(by_set=False, by_pod=False), id="§16.3 unknown value"),
        pytest.param("Delete", "Keep", True, Owners(by_set=False, by_pod=False), id="§16.3 either of them"),
    ],
)
def test_owners(scaled: str, deleted: str, down: bool, expected: Owners) -> None:
    assert owners_by_policy(_set(scaled, deleted), scaled_down=down) == expected


@pytest.mark.parametrize(
    ("down", "held", "expected"),
    [
        (True, [SET, FOREIGN], [FOREIGN, _of_pod(0)]),
        (False, [_of_pod(0), FOREIGN], [FOREIGN, SET]),
        (False, [SET], None),
        (True, [_of_pod(0)], None),
    ],
    ids=["X-91 scaled down", "X-91 wanted again", "X-91 in range already", "X-91 condemned already"],
)
def test_references_are_corrected_and_foreign_ones_kept(down: bool, held: Any, expected: Any) -> None:
    """V-15."""
    written = with_owners(_set("Delete", "Delete"), _claim("1Gi", "", *held), pod(0), scaled_down=down)

    assert (written["metadata"]["ownerReferences"] if written else None) == expected


def test_without_the_gate_nobody_looks_at_owners() -> None:
    """V-17."""
    view = _set("Delete", "Delete", gates=Gates(auto_delete_claims=False))

    assert owners_match(view, pod(0), {"data-web-0": _claim()}.get)
    assert not owners_match(_set("Delete", "Delete"), pod(0), {"data-web-0": _claim()}.get)


@pytest.mark.parametrize(
    ("scaled", "owner", "expected"),
    [
        ("Delete", {**_of_pod(3), "uid": "some"}, True),
        ("Delete", None, False),
        ("Delete", {**_of_pod(2), "uid": "some"}, False),
        ("Retain", {**_of_pod(3), "uid": "some"}, False),
    ],
    ids=["X-92", "X-92 without a reference", "X-92 of another pod", "V-20 retained"],
)
def test_stale_claims(scaled: str, owner: Any, expected: bool) -> None:
    claim = _claim("1Gi", "", *([owner] if owner else []))

    assert stale_claim(_set(scaled), "web-3", 3, {"data-web-3": claim}.get) is expected


@pytest.mark.parametrize(
    ("claim", "template", "expected"),
    [
        (_claim("1Gi", storage_class="fast"), _template("20Gi", "fast"), Growth.SMALLER),
        (_claim("20Gi", storage_class="fast"), _template("20Gi", "fast"), Growth.NONE),
        (_claim("30Gi", storage_class="fast"), _template("20Gi", "fast"), Growth.NONE),
        (_claim("1Gi", storage_class="slow"), _template("1Gi", "fast"), Growth.OTHER_KIND),
        (_claim("1Gi", storage_class="slow"), _template("1Gi"), Growth.NONE),
    ],
    ids=["X-93", "X-93 it is large enough", "V-37 it is larger", "V-30 another class", "V-30 none is named"],
)
def test_growth(claim: Any, template: Any, expected: Growth) -> None:
    assert growth(claim, template) is expected


@pytest.mark.parametrize(
    ("storage_class", "expected"),
    [
        ({"allowVolumeExpansion": True}, True),
        ({"allowVolumeExpansion": False}, False),
        ({}, False),
        (None, False),
    ],
    ids=["X-93", "X-93 it does not allow it", "V-33 it does not say so", "V-33 it does not exist"],
)
def test_classes_that_allow_it(storage_class: Any, expected: bool) -> None:
    assert may_grow(storage_class) is expected


def test_only_the_template_that_changed_is_grown() -> None:
    """X-93: the other one's class is not asked about."""
    templates = [_template("20Gi", "fast"), _template("1Gi", "rigid", "log")]
    view = _set(
        gates=Gates(resize_claims=True),
        volumeClaimTemplates=templates,
        volumeClaimUpdateStrategy={"type": "OnPodRollingUpdate"},
        replicas=1,
    )
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": f"{name}-web-0"}} for name in ("data", "log")
    ]
    claims = {
        "data-web-0": _claim("1Gi", storage_class="fast"),
        "log-web-0": _claim("1Gi", storage_class="rigid"),
    }
    at = situation(view, [pod(0, spec={"volumes": volumes})], claims=claims.get)

    assert decide(at) == "resize 0"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (_claim("20Gi", "1Gi", FileSystemResizePending="True"), True),
        (_claim("20Gi", "1Gi", FileSystemResizePending="False"), False),
        (_claim("20Gi", "1Gi", Resizing="True"), False),
        (_claim("20Gi", "1Gi"), False),
        (_claim("20Gi"), True),
        (_claim("1Gi", FileSystemResizePending="True"), False),
    ],
    ids=[
        "X-94",
        "X-94 no longer",
        "X-94 resizing",
        "X-94 nothing said",
        "V-34 ready",
        "V-34 not even asked for",
    ],
)
def test_when_growing_is_over(claim: Any, expected: bool) -> None:
    assert completed(claim, _template("20Gi")) is expected


def test_a_claim_that_is_missing_is_fine() -> None:
    """X-94: in every check."""
    view = _set(gates=Gates(resize_claims=True), volumeClaimUpdateStrategy={"type": "OnPodRollingUpdate"})
    at = situation(view, [pod(0)])
    (member, _) = at.slots.replicas

    assert at.volumes_ready(member)
    assert at.claims_compatible(member)
    assert at.claims_completed(member)
    assert claim_ready(_claim(), _template())


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"custom-label": "1"}, {"custom-label": "1", "foo": "bar"}),
        ({"custom-label": "1", "foo": "other"}, {"custom-label": "1", "foo": "bar"}),
    ],
    ids=["X-95", "X-95 the selector wins"],
)
def test_a_new_claim(labels: dict[str, str], expected: dict[str, str]) -> None:
    """V-1: named after template, set and ordinal; nobody owns it."""
    expressions = [{"key": "tier", "operator": "In", "values": ["a"]}]
    view = _set(
        volumeClaimTemplates=[_template(labels=labels, annotations={"a": "1"})],
        selector={"matchLabels": {"foo": "bar"}, "matchExpressions": expressions},
    )
    (claim,) = new_claims(view, 3)

    assert claim["metadata"] == {
        "name": "data-web-3",
        "namespace": "ns",
        "labels": expected,
        "annotations": {"a": "1"},
    }


def test_a_claim_that_somebody_deleted_is_made_again_while_its_pod_waits() -> None:
    """X-96."""
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}]
    view = _set(replicas=1)
    at = situation(view, [pod(0, marks="P", spec={"volumes": volumes})], current=R1, update=R1)

    assert decide(at) == "claims of 0"


def test_counting() -> None:
    """ST-5: those that exist, whatever the gates."""
    view = _set(volumeClaimTemplates=[_template("2Gi")])
    deleted = _claim("2Gi")
    deleted["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:00Z"
    claims = {
        "data-web-0": _claim("2Gi"),
        "data-web-1": _claim("3Gi", "1Gi"),
        "data-web-2": _claim("1Gi"),
        "data-web-3": deleted,
    }

    assert count_claims(view, range(5), claims.get) == [("data", 2, 1)]

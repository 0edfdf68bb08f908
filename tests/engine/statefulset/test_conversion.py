"""Advanced StatefulSets in their other version (advanced-statefulset.md §8, §21.10)."""

import pytest
from hypothesis import given, settings

from kubectl_kruise.engine.admission.statefulset_defaults import typed_statefulset
from kubectl_kruise.engine.statefulset.conversion import convert_statefulset
from kubectl_kruise.facts.statefulset_fields import ONLY_V1BETA1, STATUS_ONLY_V1BETA1
from kubectl_kruise.objects.raw import Raw
from tests.engine.admission.statefulsets import specs

META = {"name": "web", "labels": {"l": "m"}, "annotations": {"n": "o"}}
STATUS = {
    "observedGeneration": 3, "replicas": 2, "readyReplicas": 1, "availableReplicas": 1, "currentReplicas": 0,
    "updatedReplicas": 2, "updatedReadyReplicas": 1, "updatedAvailableReplicas": 1, "currentRevision": "web-a",
    "updateRevision": "web-b", "collisionCount": 0, "labelSelector": "app=web",
    "volumeClaims": [{"volumeClaimName": "data", "compatibleReplicas": 1, "compatibleReadyReplicas": 0}],
}  # fmt: skip


def beta(spec: Raw) -> Raw:
    obj = {"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet", "metadata": META, "spec": spec}
    return {**obj, "spec": typed_statefulset(obj)["spec"], "status": STATUS}


@settings(max_examples=40)
@given(specs())
def test_older_and_back_loses_what_only_the_newer_has(spec: Raw) -> None:
    """K-1, K-2, K-4: metadata word for word, nothing kept in annotations."""
    source = beta(spec)

    older = convert_statefulset(source, "v1alpha1")
    back = convert_statefulset(older, "v1beta1")

    kept = {key: value for key, value in source["spec"].items() if key not in ONLY_V1BETA1}
    assert older["spec"] == kept
    assert back["spec"] == {**kept, "volumeClaimUpdateStrategy": {}}
    assert (
        older["status"] == back["status"] == {k: v for k, v in STATUS.items() if k not in STATUS_ONLY_V1BETA1}
    )
    assert older["metadata"] is back["metadata"] is META
    assert [each["apiVersion"] for each in (older, back)] == [
        "apps.kruise.io/v1alpha1",
        "apps.kruise.io/v1beta1",
    ]


@settings(max_examples=40)
@given(specs())
def test_newer_and_back_loses_nothing(spec: Raw) -> None:
    older = convert_statefulset(beta(spec), "v1alpha1")

    assert convert_statefulset(convert_statefulset(older, "v1beta1"), "v1alpha1") == older


def test_reserved_ordinals_do_not_survive_the_older_version() -> None:
    """X-109: ordinal 1 can be used again."""
    older = convert_statefulset(beta({"replicas": 3, "reserveOrdinals": [1]}), "v1alpha1")

    assert "reserveOrdinals" not in convert_statefulset(older, "v1beta1")["spec"]


def test_an_unordered_update_is_told_by_its_presence() -> None:
    """K-4."""
    source = beta({"updateStrategy": {"rollingUpdate": {"unorderedUpdate": {}}}})

    older = convert_statefulset(source, "v1alpha1")

    assert older["spec"]["updateStrategy"]["rollingUpdate"] == {"unorderedUpdate": {}}


def test_a_value_of_another_type_has_no_other_version() -> None:
    source = {**beta({}), "spec": {"ordinals": {"start": "x"}}}

    with pytest.raises(ValueError, match=r"StatefulSetOrdinals\.spec\.ordinals\.start of type int32"):
        convert_statefulset(source, "v1alpha1")

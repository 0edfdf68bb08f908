"""Manifests of v1alpha1 mean the same in v1beta1: a server makes the same set of both (advanced-statefulset.md §8)."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.convert.older_statefulset import Found, upgrade_document
from kubectl_kruise.engine.statefulset.conversion import convert_statefulset
from kubectl_kruise.facts.statefulset_fields import ONLY_V1BETA1
from tests.engine.admission.statefulsets import specs


@settings(max_examples=40)
@given(specs(), st.sampled_from(["v1alpha1", "v1beta1"]))
def test_a_manifest_means_what_a_server_reads_in_it(spec: dict[str, Any], version: str) -> None:
    source = {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": spec,
    }
    found: list[Found] = []

    made = upgrade_document(source, found)

    assert made["apiVersion"] == "apps.kruise.io/v1beta1"
    if version == "v1beta1":
        assert (made, found) == (source, [Found("web", "v1beta1")])
        return
    assert (
        convert_statefulset(made, "v1alpha1")["spec"]
        == convert_statefulset({**source, "apiVersion": "apps.kruise.io/v1beta1"}, "v1alpha1")["spec"]
    )
    assert not ONLY_V1BETA1 & made["spec"].keys()
    assert set(found[0].dropped) == {f"spec.{key}" for key in ONLY_V1BETA1 & spec.keys()}


def test_nothing_is_dropped_where_nothing_is_said() -> None:
    found: list[Found] = []
    source = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "StatefulSet", "spec": {"ordinals": None}}

    assert upgrade_document(source, found) == {**source, "apiVersion": "apps.kruise.io/v1beta1"}
    assert found == [Found("", "v1alpha1")]

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.crds.definitions import CRD_KINDS, definition
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.facts.releases import Release


@pytest.mark.parametrize("kind", CRD_KINDS, ids=lambda kind: kind.kind)
def test_every_definition_is_complete(kind: Kind) -> None:
    spec: Any = definition(kind)["spec"]

    versions = {version["name"]: version for version in spec["versions"]}
    assert set(versions) == set(kind.versions) - ({"v1beta1"} if kind is kinds.CLONESET else set())
    assert [version["storage"] for version in spec["versions"]].count(True) == 1
    assert spec["versions"][-1]["storage"], "the newest version is stored"
    assert spec["conversion"] == {"strategy": "None"}
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        assert {"spec", "status", "apiVersion", "kind", "metadata"} == set(schema["properties"])
        assert "status" in version["subresources"]


def version_of(name: str, **how: Any) -> Any:
    spec: Any = definition(kinds.CLONESET, Release.MAIN, **how)["spec"]
    return next(version for version in spec["versions"] if version["name"] == name)


def schema_of(name: str, path: str) -> Any:
    at = version_of(name)["schema"]["openAPIV3Schema"]
    for step in path.split("."):
        at = at["properties"][step]
    return at


def test_the_cloneset_of_main_has_a_second_version_that_is_stored() -> None:
    """cloneset.md §1.1"""
    spec: Any = definition(kinds.CLONESET, Release.MAIN, converted=True)["spec"]

    assert [(v["name"], v["served"], v["storage"]) for v in spec["versions"]] == [
        ("v1alpha1", True, False),
        ("v1beta1", True, True),
    ]
    assert spec["conversion"]["strategy"] == "Webhook"


def test_without_a_converter_only_the_stored_version_is_served() -> None:
    """Conversion None would prune a strategy that lies elsewhere in the other version (faults B072, B160)."""
    spec: Any = definition(kinds.CLONESET, Release.MAIN)["spec"]

    assert spec["conversion"] == {"strategy": "None"}
    assert [(v["name"], v["served"]) for v in spec["versions"]] == [("v1alpha1", False), ("v1beta1", True)]


@pytest.mark.parametrize("release", Release)
@pytest.mark.parametrize(("converted", "strategy"), [(False, "None"), (True, "Webhook")])
def test_statefulsets_are_served_in_both_versions(
    release: Release, *, converted: bool, strategy: str
) -> None:
    """kinds.md §1, advanced-statefulset.md K-5: without a converter the versions differ in nothing that None garbles."""
    spec: Any = definition(kinds.STATEFULSET, release, converted=converted)["spec"]

    assert spec["conversion"]["strategy"] == strategy
    assert [(each["name"], each["served"], each["storage"]) for each in spec["versions"]] == [
        ("v1alpha1", True, False),
        ("v1beta1", True, True),
    ]


@pytest.mark.parametrize("converted", [False, True])
def test_only_the_cloneset_differs_between_the_releases(converted: bool) -> None:
    differing = [
        kind.kind
        for kind in CRD_KINDS
        if definition(kind, converted=converted)["spec"]
        != definition(kind, Release.MAIN, converted=converted)["spec"]
    ]

    assert differing == ["CloneSet"]


def test_the_strategies_of_v1beta1() -> None:
    """cloneset.md §1.6"""
    scale = schema_of("v1beta1", "spec.scaleStrategy")["properties"]

    assert set(scale) == {"enablePVCReuse", "excludePreparingDelete", "maxUnavailable", "podsToDelete"}
    assert scale["enablePVCReuse"]["default"] is False
    assert set(schema_of("v1beta1", "spec.updateStrategy")["properties"]) == {"type", "rollingUpdate"}
    assert set(schema_of("v1beta1", "spec.updateStrategy.rollingUpdate")["properties"]) == {
        "podUpdatePolicy", "partition", "maxUnavailable", "maxSurge", "paused", "priorityStrategy", "scatterStrategy",
        "inPlaceUpdateStrategy",
    }  # fmt: skip


def test_v1alpha1_of_main_knows_the_keys_it_ignores() -> None:
    """cloneset.md §1.5"""
    assert set(schema_of("v1alpha1", "spec.updateStrategy.inPlaceUpdateStrategy")["properties"]) == {
        "gracePeriodSeconds", "imagePreDownloadParallelism", "imagePreDownloadTimeoutSeconds",
        "imagePreDownloadMinUpdatedReadyPods",
    }  # fmt: skip


def test_both_versions_have_the_same_status_columns_and_subresources() -> None:
    """cloneset.md §1.2, §1.3, §1.7"""
    older, newer = version_of("v1alpha1"), version_of("v1beta1")

    assert schema_of("v1alpha1", "status") == schema_of("v1beta1", "status")
    for part in ("additionalPrinterColumns", "subresources"):
        assert older[part] == newer[part]


@pytest.mark.parametrize("name", ["v1alpha1", "v1beta1"])
def test_every_field_of_a_strategy_is_described_in_main(name: str) -> None:
    for part in ("spec.scaleStrategy", "spec.updateStrategy"):
        for field in schema_of(name, part)["properties"].values():
            assert field["description"].endswith(".")
            assert all(
                child["description"] for child in field.get("properties", {}).values() if name == "v1beta1"
            )


@pytest.mark.parametrize("release", Release)
def test_a_definition_says_of_which_release_it_is(release: Release) -> None:
    metadata: Any = definition(kinds.STATEFULSET, release)["metadata"]

    assert metadata["annotations"] == {"kubectl-kruise.io/release": release}


def test_there_are_eighteen_kinds() -> None:
    assert len({kind.resource for kind in CRD_KINDS}) == 18


@pytest.mark.parametrize(
    ("kind", "short"),
    [(kinds.CLONESET, ["clone"]), (kinds.STATEFULSET, ["sts", "asts"]), (kinds.IMAGE_PULL_JOB, None)],
    ids=["CloneSet", "StatefulSet", "ImagePullJob"],
)
def test_short_names_are_those_of_the_release(kind: Kind, short: list[str] | None) -> None:
    """kinds.md §1: `cs` is a word of this tool, not of the CRD."""
    spec: Any = definition(kind)["spec"]

    assert spec["names"].get("shortNames") == short


def test_cloneset_columns_stand_in_order() -> None:
    """cloneset.md §1.3"""
    spec: Any = definition(kinds.CLONESET)["spec"]

    assert [(column["name"], column.get("priority", 0)) for column in spec["versions"][0]["additionalPrinterColumns"]] == [
        ("DESIRED", 0), ("UPDATED", 0), ("UPDATED_READY", 0), ("UPDATED_AVAILABLE", 0), ("READY", 0), ("TOTAL", 0),
        ("AGE", 0), ("CONTAINERS", 1), ("IMAGES", 1), ("SELECTOR", 1),
    ]  # fmt: skip


def described(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    if "description" in schema:
        yield path
    for name, child in schema.get("properties", {}).items():
        yield from described(child, f"{path}.{name}".lstrip("."))


@pytest.mark.parametrize("kind", [kinds.CLONESET, kinds.STATEFULSET], ids=lambda kind: kind.kind)
def test_every_description_finds_its_field(kind: Kind) -> None:
    spec: Any = definition(kind)["spec"]
    text = files("kubectl_kruise.facts.crds").joinpath("descriptions.txt").read_text("utf-8")
    wanted = {
        line.split(": ")[0].partition(" ")[2]
        for line in text.splitlines()
        if line.startswith((f"{kind.kind} ", f"{kind.kind}:"))
    }

    assert set(described(spec["versions"][-1]["schema"]["openAPIV3Schema"])) == wanted


@pytest.mark.parametrize(
    "kind",
    [kinds.CLONESET, kinds.STATEFULSET, kinds.CONTAINER_RECREATE_REQUEST, kinds.IMAGE_PULL_JOB],
    ids=lambda kind: kind.kind,
)
def test_spec_and_status_are_described(kind: Kind) -> None:
    spec: Any = definition(kind)["spec"]
    parts = spec["versions"][-1]["schema"]["openAPIV3Schema"]["properties"]

    assert all(parts[name]["description"].endswith(".") for name in ("spec", "status"))

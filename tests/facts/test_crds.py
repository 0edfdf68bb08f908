from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from kubectl_kruise.facts import kinds
from kubectl_kruise.facts.crds.definitions import CRD_KINDS, definition
from kubectl_kruise.facts.kinds import Kind


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

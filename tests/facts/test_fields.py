"""The table of fields knows everything the official client's models of Kubernetes 1.32 know, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes.client import models

from kubectl_kruise.facts.fields import Type, parse_type, pod_structs

ROOTS = [("PodTemplateSpec", "V1PodTemplateSpec"), ("PersistentVolumeClaim", "V1PersistentVolumeClaim")]
LEAVES = {
    "str": {"string", "quantity", "bytes", "time"},
    "int": {"int32", "int64"},
    "bool": {"bool"},
    "datetime": {"time", "microTime"},
    "object": {"intOrString", "raw"},
}


def pairs() -> Iterator[tuple[str, str]]:
    """Walk both descriptions from the roots: Go struct and Python model of one thing."""
    seen: set[tuple[str, str]] = set()
    waiting = list(ROOTS)
    while waiting:
        pair = waiting.pop()
        if pair in seen:
            continue
        seen.add(pair)
        yield pair
        struct, model = pair
        python = described(model)
        waiting += [
            (inner.name, python_inner)
            for field in pod_structs()[struct].fields
            if field.name in python
            for inner, python_inner in [innermost(field.type, python[field.name])]
            if inner.form == "struct"
        ]


def described(model: str) -> dict[str, str]:
    python: Any = getattr(models, model)
    return {python.attribute_map[attribute]: kind for attribute, kind in python.openapi_types.items()}


def innermost(go: Type, python: str) -> tuple[Type, str]:
    while go.element is not None:
        found = re.fullmatch(r"list\[(.*)\]|dict\(str, (.*)\)", python)
        assert found is not None, f"{go.name} is no {python}"
        assert (found[1] is not None) == (go.form == "list"), f"{go.name} is no {python}"
        go, python = go.element, found[1] or found[2]
    return go, python


@pytest.mark.parametrize(("struct", "model"), sorted(pairs()), ids=lambda value: value)
def test_table_and_model_agree(struct: str, model: str) -> None:
    python = described(model)

    assert {field.name for field in pod_structs()[struct].fields} == set(python)
    for field in pod_structs()[struct].fields:
        go, kind = innermost(field.type, python[field.name])
        assert kind.startswith("V1") if go.form == "struct" else go.form in LEAVES[kind], (
            f"{field.name}: {kind}"
        )


def test_the_walk_reaches_every_struct_of_the_table() -> None:
    assert {struct for struct, _ in pairs()} == set(pod_structs())


def test_types_are_read() -> None:
    assert parse_type("*v1.PullPolicy", {"v1.PullPolicy": "string"}) == Type(
        "string", "v1.PullPolicy", pointer=True
    )
    assert parse_type("[]Container", {}).element == Type("struct", "Container")
    assert parse_type("{}quantity", {}) == Type("map", "{}quantity", Type("quantity", "quantity"))

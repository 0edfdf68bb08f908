"""Types as ownership sees them: native kinds and CRDs (sandbox-apiserver.md F7)."""

import pytest

from kubectl_kruise.sandbox.managed.shape import DEDUCED, Compiler
from kubectl_kruise.sandbox.native.structure import definition_of, schema_of

COMPILER = Compiler(schema_of)
DEPLOYMENT = COMPILER.named(definition_of("apps/v1", "Deployment"))


def at(shape, *steps):
    for step in steps:
        shape = shape.items if step == "[]" else shape.field(step)
    return shape


POD = ("spec", "template", "spec")
CONTAINER = (*POD, "containers", "[]")


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((*POD, "containers"), ("name",)),
        ((*CONTAINER, "ports"), ("containerPort", "protocol")),
        ((*CONTAINER, "env"), ("name",)),
        ((*CONTAINER, "volumeMounts"), ("mountPath",)),
        ((*POD, "volumes"), ("name",)),
        (("status", "conditions"), ("type",)),
        (("metadata", "ownerReferences"), ("uid",)),
    ],
)
def test_lists_of_native_kinds_have_their_keys(path, keys):
    shape = at(DEPLOYMENT, *path)

    assert not shape.atomic_list
    assert shape.keys == keys


@pytest.mark.parametrize("path", [(*POD, "tolerations"), (*CONTAINER, "command"), (*CONTAINER, "envFrom")])
def test_other_lists_are_one_value(path):
    assert at(DEPLOYMENT, *path).atomic_list


@pytest.mark.parametrize(
    "path", [("spec", "selector"), (*POD, "nodeSelector"), (*CONTAINER, "env", "[]", "valueFrom", "fieldRef")]
)
def test_selectors_and_references_are_one_value(path):
    assert at(DEPLOYMENT, *path).atomic_map


def test_finalizers_are_a_set_and_labels_are_granular():
    finalizers, labels = (at(DEPLOYMENT, "metadata", name) for name in ("finalizers", "labels"))

    assert (finalizers.atomic_list, finalizers.keys) == (False, ())
    assert (labels.atomic_map, labels.field("any").scalar) == (False, "string")


def test_amounts_and_ports_take_numbers_and_texts():
    assert at(DEPLOYMENT, *CONTAINER, "resources", "limits", "cpu").scalar == "untyped"
    assert at(DEPLOYMENT, "spec", "strategy", "rollingUpdate", "maxSurge").scalar == "untyped"


def test_a_type_may_refer_to_itself():
    schema = COMPILER.named("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")

    assert schema.field("not") is schema


def test_what_no_schema_describes_is_deduced_where_unknown_fields_are_kept():
    kept = COMPILER.compile(
        {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"a": {"type": "string"}},
        }
    )
    closed = COMPILER.compile({"type": "object", "properties": {"a": {"type": "string"}}})

    assert kept.field("b") is DEDUCED
    assert closed.field("b") is None
    assert COMPILER.compile({"type": "object"}).field("b") is DEDUCED

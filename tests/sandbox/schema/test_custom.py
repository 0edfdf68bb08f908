"""Pruning, defaults and validation of custom objects (sandbox-apiserver.md CR4 to CR9)."""

import copy
import json

import pytest

from kubectl_kruise.objects.notation.field_errors import summary
from kubectl_kruise.sandbox.schema.custom import model
from tests.places import DATA

GADGET = {"metadata": {"name": "gadgets.example.com"}, "spec": json.loads(
    (DATA / "apiserver" / "gadget.json").read_text("utf-8")
)}  # fmt: skip
TYPE = model(GADGET, "v1")


def of(schema, **subresources):
    root = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"f": schema}},
            "status": {"type": "object", "properties": {"f": schema}},
        },
    }
    version = {"name": "v1", "schema": {"openAPIV3Schema": root}, "subresources": subresources}
    return model({"metadata": {}, "spec": {"versions": [version]}}, "v1")


def made(spec, of_type=TYPE):
    found = of_type.decode(
        {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}, "spec": spec}
    )
    return of_type.default(found.object), found


@pytest.mark.parametrize(
    ("spec", "kept", "unknown"),
    [
        ({"kind": "a", "foo": 1, "opts": {"bar": 2, "size": 3}}, {"opts": {"mode": "fast", "size": 3}}, ("spec.foo", "spec.opts.bar")),
        ({"free": {"any": {"thing": [1, None]}, "known": {"a": "x", "b": 1}}}, {"free": {"any": {"thing": [1, None]}, "known": {"a": "x"}}}, ("spec.free.known.b",)),
        ({"limits": {"whatever": 1}}, {"limits": {"whatever": 1}}, ()),
        ({"items": [{"name": "x", "odd": 1}]}, {"items": [{"name": "x"}]}, ("spec.items[0].odd",)),
        ({"emb": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "n", "odd": 1}, "data": 1}}, {"emb": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "n"}, "data": 1}}, ()),
        ({"tags": {"a": 1}}, {"tags": {}}, ("spec.tags.a",)),
    ],
)  # fmt: skip
def test_unknown_fields_go(spec, kept, unknown):
    obj, found = made(spec)

    assert {key: obj["spec"][key] for key in kept} == kept
    assert found.unknown == unknown


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, {"replicas": 1, "dnul": "x", "opts": {"mode": "fast"}}),
        (
            {"dnul": None, "opts": None, "port": None, "kind": None},
            {"replicas": 1, "dnul": "x", "opts": {"mode": "fast"}},
        ),
        ({"nul": None}, {"nul": None, "replicas": 1, "dnul": "x", "opts": {"mode": "fast"}}),
        ({"replicas": 5, "opts": {"mode": "slow"}}, {"replicas": 5, "dnul": "x", "opts": {"mode": "slow"}}),
    ],
)
def test_defaults_and_nulls(spec, wanted):
    assert made(spec)[0]["spec"] == wanted


def test_nothing_is_defaulted_without_the_parent():
    assert "spec" not in made(None)[0]


def test_defaults_are_not_shared_between_objects():
    first, second = made({})[0], made({})[0]
    first["spec"]["opts"]["mode"] = "slow"

    assert second["spec"]["opts"] == {"mode": "fast"}


@pytest.mark.parametrize(
    ("meta", "problem"),
    [
        ({"name": 5}, "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string"),
        ({"labels": {"a": 5}}, "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"),
        ({"ownerReferences": {}}, "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference"),
    ],
)  # fmt: skip
def test_metadata_must_be_metadata(meta, problem):
    assert TYPE.decode({"metadata": meta}).problem == problem


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"type": "integer"}, "x", 'spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"'),
        ({"type": "integer", "format": "int32"}, True, 'spec.f: Invalid value: "": spec.f in body must be of type int32: ""'),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, 0, "spec.f: Invalid value: 0: spec.f in body should be greater than 0"),
        ({"type": "integer", "maximum": 5}, 6, "spec.f: Invalid value: 6: spec.f in body should be less than or equal to 5"),
        ({"type": "integer", "multipleOf": 2}, 3, "spec.f: Invalid value: 3: spec.f in body should be a multiple of 2"),
        ({"type": "string", "minLength": 2}, "a", 'spec.f: Invalid value: "a": spec.f in body should be at least 2 chars long'),
        ({"type": "string", "maxLength": 1, "pattern": "^b$"}, "aa", "spec.f: Too long: may not be more than 1 bytes"),
        ({"type": "string", "pattern": "^a+$"}, "a\n", "spec.f: Invalid value: \"a\\n\": spec.f in body should match '^a+$'"),
        ({"type": "string", "enum": ["a", "b"]}, "c", 'spec.f: Unsupported value: "c": supported values: "a", "b"'),
        ({"type": "string", "format": "date-time"}, "x", 'spec.f: Invalid value: "x": spec.f in body must be of type date-time: "x"'),
        ({"type": "array", "items": {"type": "string"}}, [None], 'spec.f[0]: Invalid value: "null": spec.f[0] in body must be of type string: "null"'),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["a", "b"], "spec.f: Too many: 2: must have at most 1 items"),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["a"], "spec.f: Invalid value: 1: spec.f in body should have at least 2 items"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ["a", "a"], 'spec.f: Invalid value: ["a","a"]: spec.f in body shouldn\'t contain duplicates'),
        ({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, ["a", "a", "a"], 'spec.f[1]: Duplicate value: "a"'),
        ({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}, {}, "spec.f.x: Required value"),
        ({"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}, {"a": 0}, "spec.f.a: Invalid value: 0: spec.f.a in body should be greater than or equal to 1"),
        ({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1}, {"a": "", "b": ""}, "spec.f: Too many: 2: must have at most 1 items"),
        ({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}, {}, "spec.f: Invalid value: 0: spec.f in body should have at least 1 properties"),
        ({"x-kubernetes-int-or-string": True}, 1.5, 'spec.f: Invalid value: "number": spec.f in body must be of type integer,string: "number"'),
        ({"type": "string", "not": {"enum": ["x"]}}, "x", '<nil>: Invalid value: "": "spec.f" must not validate the schema (not)'),
        ({"type": "string", "anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "c",
         '[<nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf), spec.f: Unsupported value: "c": supported values: "a"]'),
        ({"type": "string", "allOf": [{"pattern": "a"}]}, "c",
         "[spec.f: Invalid value: \"c\": spec.f in body should match 'a', <nil>: Invalid value: \"\": \"spec.f\" must validate all the schemas (allOf)]"),
    ],
    ids=str,
)  # fmt: skip
def test_complaints(schema, value, text):
    kind = of(schema)

    assert summary(kind.validate(made({"f": value}, kind)[0])) == text


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 3.0),
        ({"type": "number"}, 3),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, "10%"),
        ({"type": "string", "format": "no-such-format"}, "x"),
        ({"type": "string", "format": "duration"}, "1h30m"),
        ({"type": "string", "format": "cidr"}, "10.0.0.0/8"),
        ({"type": "string", "format": "uuid"}, "0f8fad5b-d9cb-469f-a165-70867728950e"),
        ({"type": "string", "format": "hostname"}, "a.example.com"),
        ({"type": "string", "format": "uri"}, "https://a.example.com/x"),
        ({"type": "string", "format": "date"}, "2024-02-29"),
        ({"type": "string", "format": "byte"}, "eA=="),
        ({"type": "string", "format": "ipv6"}, "::1"),
        ({"type": "string", "oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "a"),
        ({"type": "string", "nullable": True}, None),
    ],
    ids=str,
)
def test_good_values(schema, value):
    kind = of(schema)

    assert kind.validate(made({"f": value}, kind)[0]) == []


@pytest.mark.parametrize(
    "form",
    ["date", "byte", "email", "uri", "ipv4", "ipv6", "cidr", "uuid", "duration", "hostname", "date-time"],
)
def test_text_of_no_format(form):
    kind = of({"type": "string", "format": form})

    assert kind.validate(made({"f": "no such thing!"}, kind)[0])


def test_what_did_not_change_is_not_complained_about():
    loose, strict = of({"type": "string"}), of({"type": "string", "maxLength": 3})
    old = made({"f": "long value"}, loose)[0]
    other = made({"f": "another long"}, loose)[0]

    assert strict.validate(copy.deepcopy(old), old) == []
    assert [error.text for error in strict.validate(other, old)] == [
        "spec.f: Too long: may not be more than 3 bytes"
    ]


def test_items_of_a_keyed_list_are_compared_by_key():
    items = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 1}},
    }
    kind = of(
        {
            "type": "array",
            "items": items,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
        }
    )
    old = made({"f": [{"k": "a", "v": 9}]}, kind)[0]

    moved = made({"f": [{"k": "b", "v": 5}, {"k": "a", "v": 9}]}, kind)[0]

    assert [error.field for error in kind.validate(moved, old)] == ["spec.f[0].v"]


def test_complaints_about_status_name_paths_below_it():
    kind = of({"type": "integer", "format": "int32"}, status={})
    obj = {"metadata": {"name": "a"}, "status": {"f": "x"}}

    assert [
        error.text for error in kind.validate(obj, {"metadata": {"name": "a"}}, subresource="status")
    ] == ['status.f: Invalid value: "string": f in body must be of type integer: "string"']


@pytest.mark.parametrize(
    ("replicas", "text"),
    [
        (-1, ".spec.replicas: Invalid value: -1: should be a non-negative integer"),
        (2**31, ".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"),
        ("many", ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: many is of the type string, expected int64"),
        (3.0, ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 3 is of the type float64, expected int64"),
    ],
)  # fmt: skip
def test_what_scaling_needs(replicas, text):
    kind = of(
        {"type": "string"},
        scale={"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
    )
    obj = {"metadata": {"name": "a"}, "spec": {"replicas": replicas}}

    assert [error.text for error in kind.validate(obj)] == [text]


def test_versions_of_a_crd_are_compiled_once_per_stored_form():
    stored = {**GADGET, "metadata": {"name": "g", "uid": "u", "resourceVersion": "1"}}
    newer = {**stored, "metadata": {**stored["metadata"], "resourceVersion": "2"}}

    assert model(stored, "v1") is model(stored, "v1")
    assert model(stored, "v1") is not model(newer, "v1")


def test_a_decoded_object_shares_nothing_that_admission_could_change():
    kind = of({"x-kubernetes-preserve-unknown-fields": True})
    stored = {"metadata": {"name": "a", "labels": {}}, "spec": {"f": {"list": [{"x": {}}], "odd": {}}}}
    before = copy.deepcopy(stored)

    made = kind.decode(stored).object
    made["spec"]["f"]["list"][0]["x"]["new"] = made["spec"]["f"]["odd"]["new"] = 1

    assert stored == before


def test_custom_kinds_take_no_strategic_patch():
    assert TYPE.patch_schema is None

"""Validation of CRDs (sandbox-apiserver.md CR1)."""

import pytest

from kubectl_kruise.facts.crds.definitions import CRD_KINDS, definition
from kubectl_kruise.sandbox.native import model

CRD = model("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def crd(schema=None, **spec):
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
    }
    names = {"plural": "things", "kind": "Thing"}
    spec = {"group": "x.example.com", "scope": "Namespaced", "names": names, "versions": [version], **spec}
    obj = {"metadata": {"name": f"{spec['names']['plural']}.x.example.com"}, "spec": spec}
    return CRD.default(CRD.decode(obj).object)


def of(**field):
    return {"type": "object", "properties": {"f": field}}


AT = "spec.validation.openAPIV3Schema.properties[f]"


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"properties": {}}, "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"),
        ({"type": "array", "items": {"type": "string"}}, 'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root'),
        (of(type="odd"), f'{AT}.type: Unsupported value: "odd": supported values: "array", "boolean", "integer", "number", "object", "string"'),
        (of(type="array"), f"{AT}.items: Required value: must be specified"),
        (of(type="array", items={}), f"{AT}.items.type: Required value: must not be empty for specified array items"),
        (of(type="object", additionalProperties={}), f"{AT}.additionalProperties.type: Required value: must not be empty for additionalProperties"),
        (of(type="integer", default="x"), f'{AT}.default: Invalid value: "string": {AT}.default in body must be of type integer: "string"'),
        (of(**{"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map"}), f"{AT}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"),
        (of(**{"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}), f'{AT}.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_schemas_must_be_structural(schema, text):
    assert text in [error.text for error in CRD.validate(crd(schema))]


@pytest.mark.parametrize(
    "schema",
    [
        of(**{"x-kubernetes-preserve-unknown-fields": True}),
        of(**{"x-kubernetes-int-or-string": True}),
        of(type="array", items={"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
           **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
        {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string"}}}}},
    ],
)  # fmt: skip
def test_good_schemas(schema):
    assert CRD.validate(crd(schema)) == []


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"scope": ""}, "spec.scope"),
        ({"conversion": {"strategy": "Odd"}}, "spec.conversion.strategy"),
        ({"conversion": {"strategy": "Webhook"}}, "spec.conversion.webhook.clientConfig"),
        ({"conversion": {"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}}, "spec.conversion.webhook"),
        ({"names": {"plural": "things", "kind": "Thing", "listKind": "Thing"}}, "spec.names.listKind"),
        ({"names": {"plural": "things", "kind": "Thing", "shortNames": ["Bad_"]}}, "spec.names.shortNames[0]"),
        ({"versions": []}, "spec.versions"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_complaints(spec, field):
    assert field in [error.field for error in CRD.validate(crd(**spec))]


def test_a_version_that_holds_objects_must_stay():
    old = crd() | {"status": {"storedVersions": ["v0"]}}

    assert [error.field for error in CRD.validate(crd(of(type="string")), old)] == [
        "status.storedVersions[0]"
    ]


@pytest.mark.parametrize("kind", CRD_KINDS, ids=lambda kind: kind.kind)
def test_the_crds_of_kruise_are_accepted(kind):
    obj = CRD.default(CRD.decode(dict(definition(kind))).object)

    assert CRD.validate(obj) == []

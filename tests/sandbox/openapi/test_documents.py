"""OpenAPI documents (sandbox-apiserver.md §5)."""

import json

import pytest

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.openapi import Documents
from kubectl_kruise.sandbox.registry.kinds.catalog import CRDS

KRUISE = "apis/apps.kruise.io/v1alpha1"


def server():
    return Server(VirtualClock())


def document(key, served=None):
    body, _ = Documents((served or server()).catalog).document(key)
    return json.loads(body)


def references(value):
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [name for inner in value.values() for name in references(inner)]
    return [name for inner in value for name in references(inner)] if isinstance(value, list) else []


def test_the_index_names_every_group_version():
    paths = Documents(server().catalog).index()["paths"]

    assert {"api/v1", "apis/apps/v1", KRUISE} <= paths.keys()
    assert paths[KRUISE]["serverRelativeURL"].startswith(f"/openapi/v3/{KRUISE}?hash=")


def test_the_hash_of_the_index_is_that_of_the_document_and_follows_the_crd():
    served = server()
    documents = Documents(served.catalog)
    _, digest = documents.document(KRUISE)
    _, core = documents.document("api/v1")

    assert documents.index()["paths"][KRUISE]["serverRelativeURL"].endswith(digest)
    crd = served.store.get(CRDS, "", "clonesets.apps.kruise.io").object
    names = crd["spec"]["names"] | {"shortNames": ["other"]}
    served.store.put(CRDS, crd | {"metadata": dict(crd["metadata"]), "spec": crd["spec"] | {"names": names}})
    assert documents.document(KRUISE)[1] != digest
    assert documents.document("api/v1")[1] == core


def test_unserved_versions_have_no_document():
    assert Documents(server().catalog).document("apis/example.com/v1") is None


@pytest.mark.parametrize(
    "key", ["api/v1", "apis/apps/v1", "apis/autoscaling/v2", "apis/apiextensions.k8s.io/v1", KRUISE]
)
def test_documents_refer_to_nothing_they_do_not_hold(key):
    found = document(key)

    schemas = found["components"]["schemas"]
    assert {name.rpartition("/")[2] for name in references(found)} <= schemas.keys()


@pytest.mark.parametrize(
    ("key", "path", "kind"),
    [
        ("apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "Deployment"),
        ("api/v1", "/api/v1/nodes/{name}", "Node"),
        (KRUISE, f"/{KRUISE}/namespaces/{{namespace}}/clonesets/{{name}}", "CloneSet"),
        (KRUISE, f"/{KRUISE}/namespaces/{{namespace}}/clonesets/{{name}}/scale", "Scale"),
    ],
)
def test_paths_tell_kubectl_the_kind_and_that_fields_are_validated(key, path, kind):
    operations = document(key)["paths"][path]

    assert {
        operations[method]["x-kubernetes-group-version-kind"]["kind"] for method in ("get", "put", "patch")
    } == {kind}
    names = [parameter["name"] for parameter in operations["patch"]["parameters"]]
    assert names == ["dryRun", "fieldManager", "fieldValidation", "force"]


def test_native_schemas_keep_what_patches_are_driven_by():
    schemas = document("apis/apps/v1")["components"]["schemas"]
    containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]

    assert (containers["x-kubernetes-patch-strategy"], containers["x-kubernetes-patch-merge-key"]) == (
        "merge",
        "name",
    )
    assert schemas["io.k8s.api.apps.v1.Deployment"]["x-kubernetes-group-version-kind"] == [
        {"group": "apps", "kind": "Deployment", "version": "v1"}
    ]


def test_a_custom_kind_is_named_backwards_and_has_metadata():
    found = document(KRUISE)["components"]["schemas"]["io.kruise.apps.v1alpha1.CloneSet"]

    assert found["properties"]["kind"] == {"type": "string"}
    assert found["properties"]["metadata"]["allOf"][0]["$ref"].endswith("ObjectMeta")
    assert found["x-kubernetes-group-version-kind"][0]["kind"] == "CloneSet"


def test_int_or_string_and_embedded_objects_are_spelled_out():
    schema = {"type": "object", "properties": {
        "port": {"x-kubernetes-int-or-string": True},
        "object": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    }}  # fmt: skip
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Odd", "plural": "odds"}
    spec = {"group": "x.com", "scope": "Cluster", "names": names, "versions": [version]}
    served = server()
    served.make(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        {"metadata": {"name": "odds.x.com"}, "spec": spec},
    )

    found = document("apis/x.com/v1", served)["components"]["schemas"]["com.x.v1.Odd"]["properties"]

    assert found["port"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert found["object"]["required"] == ["kind", "apiVersion"]
    assert found["object"]["properties"].keys() == {"apiVersion", "kind", "metadata"}

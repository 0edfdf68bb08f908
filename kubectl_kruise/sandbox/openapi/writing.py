"""Writing one document: components, and the paths that kubectl reads (sandbox-apiserver.md O3, O4)."""

from collections.abc import Iterable, Sequence
from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.structure import REF
from kubectl_kruise.sandbox.openapi.schemas import complete, component_of, schema_shown
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

_SCALE: Final = f"{REF}io.k8s.api.autoscaling.v1.Scale"
_SCALE_KIND: Final = {"group": "autoscaling", "kind": "Scale", "version": "v1"}
_JSON: Final = "application/json"
_PATCHES: Final = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
)
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")


def write_document(key: str, kinds: Sequence[Resource]) -> Raw:
    """Give the OpenAPI 3.0 document of a group version."""
    schemas: dict[str, Raw] = {}
    paths: dict[str, Raw] = {}
    for kind in kinds:
        schemas[component_of(kind)] = {
            **schema_shown(kind), "x-kubernetes-group-version-kind": [_gvk(kind)],
        }  # fmt: skip
        paths.update(_paths(key, kind))
    complete(schemas, paths)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _gvk(kind: Resource) -> Raw:
    return {"group": kind.group, "kind": kind.kind, "version": kind.version}


def _paths(key: str, kind: Resource) -> dict[str, Raw]:
    scope = "/namespaces/{namespace}" if kind.namespaced else ""
    collection, gvk, reference = f"/{key}{scope}/{kind.plural}", _gvk(kind), f"{REF}{component_of(kind)}"
    one = f"{collection}/{{name}}"
    paths = {
        collection: {
            "get": _operation(gvk, "list", reference),
            "post": _operation(gvk, "post", reference, _WRITE, {_JSON: reference}),
            "delete": _operation(gvk, "deletecollection", reference),
            "parameters": _path_parameters(kind, named=False),
        },
        one: _object_path(kind, gvk, reference) | {"delete": _operation(gvk, "delete", reference)},
    }
    if kind.namespaced:
        paths[f"/{key}/{kind.plural}"] = {"get": _operation(gvk, "list", reference), "parameters": []}
    if "status" in kind.subresources:
        paths[f"{one}/status"] = _object_path(kind, gvk, reference)
    if "scale" in kind.subresources:
        paths[f"{one}/scale"] = _object_path(kind, _SCALE_KIND, _SCALE)
    return paths


def _object_path(kind: Resource, gvk: Raw, reference: str) -> Raw:
    patches = _PATCHES if kind.custom else (*_PATCHES, _STRATEGIC)
    return {
        "get": _operation(gvk, "get", reference),
        "put": _operation(gvk, "put", reference, _WRITE, {_JSON: reference}),
        "patch": _operation(gvk, "patch", reference, (*_WRITE, "force"), dict.fromkeys(patches, reference)),
        "parameters": _path_parameters(kind, named=True),
    }


def _operation(
    gvk: Raw, action: str, reference: str, query: Iterable[str] = (), bodies: dict[str, str] | None = None
) -> Raw:
    """Describe one method; `bodies` maps the media types it takes to the schema of each."""
    answer = {"description": "OK", "content": {_JSON: {"schema": {"$ref": reference}}}}
    operation: Raw = {
        "parameters": [_query_parameter(name) for name in query],
        "responses": {"200": answer},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": gvk,
    }
    if bodies:
        content = {media_type: {"schema": {"$ref": schema}} for media_type, schema in bodies.items()}
        operation["requestBody"] = {"content": content, "required": True}
    return operation


def _query_parameter(name: str) -> Raw:
    kind = "boolean" if name == "force" else "string"
    return {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}


def _path_parameters(kind: Resource, *, named: bool) -> list[Raw]:
    names = [*(("name",) if named else ()), *(("namespace",) if kind.namespaced else ())]
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "uniqueItems": True}}
        for name in names
    ]

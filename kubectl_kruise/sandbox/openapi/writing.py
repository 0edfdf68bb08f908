"""Writing one document: components, and the paths that kubectl reads (sandbox-apiserver.md O3, O4)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.structure import REF

SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
LIST_META: Final = f"{_META}.ListMeta"
DELETE_OPTIONS: Final = f"{_META}.DeleteOptions"
PATCH: Final = f"{_META}.Patch"
STATUS: Final = f"{_META}.Status"
SHARED: Final = (LIST_META, DELETE_OPTIONS, PATCH, STATUS)
"""Definitions that every document refers to."""
_SCALE_KIND: Final = {"group": "autoscaling", "kind": "Scale", "version": "v1"}
_JSON: Final = "application/json"
_DELETE: Final = {_JSON: f"{REF}{DELETE_OPTIONS}"}
_WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")


class DocumentKind(NamedTuple):
    """One kind of a document: `component` names its schema among `schemas`, which hold all that it refers to."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    component: str
    subresources: tuple[str, ...]
    schemas: dict[str, Raw]
    patch_types: tuple[str, ...]

    @property
    def gvk(self) -> Raw:
        return {"group": self.group, "kind": self.kind, "version": self.version}


def write_document(key: str, kinds: Sequence[DocumentKind]) -> Raw:
    """Give the OpenAPI 3.0 document of a group version."""
    schemas: dict[str, Raw] = {}
    paths: dict[str, Raw] = {}
    for kind in kinds:
        schemas.update(kind.schemas)
        paths.update(_paths(key, kind))
    for kind in kinds:
        schemas[kind.component] = {**schemas[kind.component], "x-kubernetes-group-version-kind": [kind.gvk]}
        schemas[f"{kind.component}List"] = _list_schema(kind)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _list_schema(kind: DocumentKind) -> Raw:
    properties = {
        "apiVersion": {"type": "string"},
        "items": {"type": "array", "items": {"$ref": f"{REF}{kind.component}"}},
        "kind": {"type": "string"},
        "metadata": {"$ref": f"{REF}{LIST_META}"},
    }
    gvk = {**kind.gvk, "kind": f"{kind.kind}List"}
    return {
        "type": "object",
        "required": ["items"],
        "properties": properties,
        "x-kubernetes-group-version-kind": [gvk],
    }


def _paths(key: str, kind: DocumentKind) -> dict[str, Raw]:
    scope = "/namespaces/{namespace}" if kind.namespaced else ""
    collection = f"/{key}{scope}/{kind.plural}"
    one = f"{collection}/{{name}}"
    reference = f"{REF}{kind.component}"
    paths = {
        collection: {
            "get": _operation(kind.gvk, "list", f"{reference}List"),
            "post": _operation(kind.gvk, "post", reference, _WRITE, {_JSON: reference}),
            "delete": _operation(kind.gvk, "deletecollection", f"{REF}{STATUS}", (), _DELETE),
            "parameters": _path_parameters(kind, named=False),
        },
        one: _object_path(kind, kind.gvk, reference, deletable=True),
    }
    if kind.namespaced:
        paths[f"/{key}/{kind.plural}"] = {
            "get": _operation(kind.gvk, "list", f"{reference}List"),
            "parameters": [],
        }
    if "status" in kind.subresources:
        paths[f"{one}/status"] = _object_path(kind, kind.gvk, reference, deletable=False)
    if "scale" in kind.subresources:
        paths[f"{one}/scale"] = _object_path(kind, _SCALE_KIND, f"{REF}{SCALE}", deletable=False)
    return paths


def _object_path(kind: DocumentKind, gvk: Raw, reference: str, *, deletable: bool) -> Raw:
    patches = dict.fromkeys(kind.patch_types, f"{REF}{PATCH}")
    path = {
        "get": _operation(gvk, "get", reference),
        "put": _operation(gvk, "put", reference, _WRITE, {_JSON: reference}),
        "patch": _operation(gvk, "patch", reference, (*_WRITE, "force"), patches),
        "parameters": _path_parameters(kind, named=True),
    }
    if deletable:
        path["delete"] = _operation(gvk, "delete", f"{REF}{STATUS}", (), _DELETE)
    return path


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


def _path_parameters(kind: DocumentKind, *, named: bool) -> list[Raw]:
    names = [*(("name",) if named else ()), *(("namespace",) if kind.namespaced else ())]
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "uniqueItems": True}}
        for name in names
    ]

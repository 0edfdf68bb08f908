"""The structural table of the native kinds, unpacked on first use and compiled per definition.

The table is made by `scripts/native_schema/build.py` from an API server's OpenAPI documents and its Go types.
"""

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kubectl_kruise.sandbox.schema.node import Node

REF: Final = "#/components/schemas/"
META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FIELDS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"
_SCHEMA: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
_OR_BOOL, _OR_ARRAY, _OR_STRINGS = (f"{_SCHEMA}Or{other}" for other in ("Bool", "Array", "StringArray"))
_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"


@cache
def _table() -> dict[str, Any]:
    packed = files(__package__).joinpath("data/structure.json.gz").read_bytes()
    table: dict[str, Any] = json.loads(gzip.decompress(packed))
    return table


def definition_of(api_version: str, kind: str) -> str:
    """Name the definition of a native kind. Raises KeyError for an unknown one."""
    name: str = _table()["kinds"][f"{api_version} {kind}"]
    return name


def schema_of(definition: str) -> dict[str, Any]:
    """Give the OpenAPI schema of a definition. Raises KeyError for an unknown one."""
    found: dict[str, Any] = _table()["schemas"][definition]
    return found


_NODES: Final[dict[str, Node]] = {}


def node_of(definition: str) -> Node:
    """Give the compiled node of a definition; one node per definition, since some refer to themselves."""
    if definition in _NODES:
        return _NODES[definition]
    node = _NODES[definition] = Node(name=definition.rsplit(".", 1)[-1])
    _fill(node, schema_of(definition))
    node.quantity = definition == _QUANTITY
    if definition == _FIELDS:
        node.kind = ""  # Go keeps its JSON as it comes
    if definition in {_OR_BOOL, _OR_ARRAY, _OR_STRINGS}:
        node.alternative = node_of(_SCHEMA)
    zero = _table()["zero"].get(definition, {})
    properties = node.properties or {}
    node.drop = frozenset(zero.get("drop", ()))
    node.fill = tuple((field, value) for field, value in zero.get("fill", {}).items() if field in properties)
    return node


def _field(schema: dict[str, Any]) -> Node:
    if "$ref" in schema:
        return node_of(schema["$ref"].removeprefix(REF))
    node = Node()
    _fill(node, schema)
    return node


def _fill(node: Node, schema: dict[str, Any]) -> None:
    node.kind, node.format = schema.get("type", ""), schema.get("format", "")
    node.int_or_string = node.format == "int-or-string"
    if "properties" in schema:
        node.properties = {name: _field(field) for name, field in schema["properties"].items()}
    if "additionalProperties" in schema:
        node.values = _field(schema["additionalProperties"])
    if "items" in schema:
        node.items = _field(schema["items"])
    strategy = schema.get("x-kubernetes-patch-strategy", "")
    node.merges = "merge" in strategy.split(",")
    node.merge_key = schema.get("x-kubernetes-patch-merge-key", "")
    node.list_type = schema.get("x-kubernetes-list-type", "")
    node.keys = tuple(schema.get("x-kubernetes-list-map-keys", ()))

"""Compiling the schema of a custom kind (sandbox-apiserver.md §16)."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.schema.node import NOTHING, Node

_STRUCTURE: Final = frozenset({
    "type", "format", "properties", "additionalProperties", "items", "default", "nullable", "description", "title",
    "example", "externalDocs",
})  # fmt: skip


def compile_schema(schema: Raw) -> Node:
    """Compile an `openAPIV3Schema`; the schema itself is kept by reference and must not change."""
    node = Node(schema.get("type", ""))
    node.format = schema.get("format", "")
    node.nullable = bool(schema.get("nullable"))
    node.preserve = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    node.embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    node.int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
    node.list_type = schema.get("x-kubernetes-list-type", "")
    node.keys = tuple(schema.get("x-kubernetes-list-map-keys", ()))
    node.default = schema.get("default", NOTHING)
    node.properties = {
        name: compile_schema(field) for name, field in (schema.get("properties") or {}).items()
    }
    values = schema.get("additionalProperties")
    if values:
        node.values = compile_schema(values) if isinstance(values, dict) else _anything()
    if isinstance(schema.get("items"), dict):
        node.items = compile_schema(schema["items"])
    node.rules = {key: _compiled_rule(key, value) for key, value in schema.items() if _checks(key)}
    parts = [*node.properties.values(), *filter(None, (node.values, node.items))]
    node.defaults_below = any(part.default is not NOTHING or part.defaults_below for part in parts)
    return node


def _compiled_rule(key: str, value: Any) -> Any:
    """Compile the alternatives of allOf, anyOf, oneOf and not; other keywords stand as they are."""
    if key == "not":
        return compile_schema(value)
    return [compile_schema(rule) for rule in value] if key in {"allOf", "anyOf", "oneOf"} else value


def _anything() -> Node:
    node = Node()
    node.preserve = True
    return node


def _checks(key: str) -> bool:
    return key not in _STRUCTURE and not key.startswith("x-kubernetes-")


def object_root(schema: Any) -> Node:
    """Compile the schema of a whole object: kind, apiVersion and metadata are the server's business."""
    node = compile_schema(
        schema if isinstance(schema, dict) else {"x-kubernetes-preserve-unknown-fields": True}
    )
    for name in ("apiVersion", "kind", "metadata"):
        if node.properties is not None:
            node.properties[name] = _anything()
    return node

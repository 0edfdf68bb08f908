"""The schemas of a kind as its document holds them (sandbox-apiserver.md O5, O6)."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.structure import META, REF, definition_of, schema_of
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

_OWN: Final[dict[str, Raw]] = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"allOf": [{"$ref": f"{REF}{META}"}]},
}


def component_of(resource: Resource) -> str:
    """Name the schema of a kind: a definition of the Go types, or group, version and kind of a custom one."""
    if resource.custom:
        return ".".join((*reversed(resource.group.split(".")), resource.version, resource.kind))
    return definition_of(resource.api_version, resource.kind)


def schema_shown(resource: Resource) -> Raw:
    """Give the schema of a kind in OpenAPI's terms."""
    if not resource.custom:
        return schema_of(component_of(resource))
    schema = _shown((resource.crd_version.get("schema") or {}).get("openAPIV3Schema") or {"type": "object"})
    return {**schema, "properties": {**(schema.get("properties") or {}), **_OWN}}


def complete(schemas: dict[str, Raw], more: Raw) -> None:
    """Add in place all definitions that the schemas, and `more`, refer to."""
    queue = _references([*schemas.values(), more])
    while queue:
        name = queue.pop()
        if name not in schemas:
            schemas[name] = schema_of(name)
            queue += _references(schemas[name])


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for part in schema for name in _references(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"].removeprefix(REF)] if isinstance(schema.get("$ref"), str) else []
    return own + [name for part in schema.values() for name in _references(part)]


def _shown(schema: Any) -> Any:
    """Bring a CRD's schema into OpenAPI's terms: int-or-string as a choice, embedded objects with their own fields."""
    if isinstance(schema, list):
        return [_shown(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    out = {
        key: value if key in {"default", "enum", "example"} else _shown(value)
        for key, value in schema.items()
    }
    if schema.get("x-kubernetes-int-or-string") is True:
        out.pop("type", None)
        out.setdefault("anyOf", [{"type": "integer"}, {"type": "string"}])
    if schema.get("x-kubernetes-embedded-resource") is True:
        out["required"] = list(dict.fromkeys([*out.get("required", ()), "kind", "apiVersion"]))
        out["properties"] = {**out.get("properties", {}), **_OWN}
    return out

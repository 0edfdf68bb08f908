"""Custom kinds as their documents describe them (sandbox-apiserver.md O6)."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.structure import META, REF
from kubectl_kruise.sandbox.openapi.native import definitions
from kubectl_kruise.sandbox.openapi.writing import SCALE, SHARED, DocumentKind

_PATCHES: Final = ("application/json-patch+json", "application/merge-patch+json")
_OWN: Final[dict[str, Raw]] = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"allOf": [{"$ref": f"{REF}{META}"}]},
}


def custom_kinds(crd: Raw, version: str) -> list[DocumentKind]:
    """Give the kind of a CRD in one served version; none where that version is not served."""
    spec = crd["spec"]
    entry = next(
        (found for found in spec["versions"] if found["name"] == version and found.get("served")), None
    )
    if entry is None:
        return []
    names, subresources = spec["names"], entry.get("subresources") or {}
    component = ".".join((*reversed(spec["group"].split(".")), version, names["kind"]))
    schema = _shown((entry.get("schema") or {}).get("openAPIV3Schema") or {"type": "object"})
    schema = {**schema, "properties": {**(schema.get("properties") or {}), **_OWN}}
    needed = (META, *SHARED, *((SCALE,) if "scale" in subresources else ()))
    return [
        DocumentKind(
            group=spec["group"], version=version, kind=names["kind"], plural=names["plural"],
            namespaced=spec["scope"] == "Namespaced", component=component, subresources=tuple(subresources),
            schemas={component: schema, **definitions(*needed)}, patch_types=_PATCHES,
        )
    ]  # fmt: skip


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

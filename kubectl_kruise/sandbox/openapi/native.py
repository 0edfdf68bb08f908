"""The native kinds as their documents describe them."""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.structure import REF, native_kinds, schema_of
from kubectl_kruise.sandbox.openapi.writing import SCALE, SHARED, DocumentKind

_PATCHES: Final = (
    "application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json",
)  # fmt: skip


def native_document_kinds(key: str) -> list[DocumentKind]:
    """Give the kinds of a native group version, each with every definition it refers to."""
    return [
        DocumentKind(
            group=kind.group, version=kind.version, kind=kind.kind, plural=kind.plural, namespaced=kind.namespaced,
            component=kind.definition, subresources=kind.subresources,
            schemas=definitions(kind.definition, *SHARED, *((SCALE,) if "scale" in kind.subresources else ())),
            patch_types=_PATCHES,
        )
        for kind in native_kinds()
        if key == (f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}")
    ]  # fmt: skip


def definitions(*names: str) -> dict[str, Raw]:
    """Give the named definitions and all they refer to."""
    found: dict[str, Raw] = {}
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found[name] = schema_of(name)
            queue += _references(found[name])
    return found


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for part in schema for name in _references(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"].removeprefix(REF)] if isinstance(schema.get("$ref"), str) else []
    return own + [name for part in schema.values() for name in _references(part)]

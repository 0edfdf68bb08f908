"""The type of a custom kind: pruning, defaults and validation by the schema of its CRD (sandbox-apiserver.md CR4)."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.decoding import Unreadable, decode
from kubectl_kruise.sandbox.native.structure import META, node_of
from kubectl_kruise.sandbox.schema.checking import check
from kubectl_kruise.sandbox.schema.compiling import object_root
from kubectl_kruise.sandbox.schema.metadata import metadata_errors, metadata_warnings, unite_owners
from kubectl_kruise.sandbox.schema.model import Decoded
from kubectl_kruise.sandbox.schema.node import NOTHING, Node
from kubectl_kruise.sandbox.schema.pruning import fill_defaults, prune
from kubectl_kruise.sandbox.schema.scale_fields import number_errors, text_errors

_CACHE_LIMIT: Final = 256
_models: dict[tuple[str, str, str], "CustomType"] = {}


def model(crd: Raw, version: str) -> "CustomType":
    """Give the type of one version of a CRD, compiled once per stored form of the CRD."""
    meta = crd.get("metadata") or {}
    key = (meta.get("uid") or "", meta.get("resourceVersion") or "", version)
    if not key[0] or not key[1]:
        return CustomType(crd, version)
    if key not in _models:
        if len(_models) >= _CACHE_LIMIT:
            _models.clear()
        _models[key] = CustomType(crd, version)
    return _models[key]


class CustomType:
    """One version of a custom kind, as schema.model.TypeModel."""

    patch_schema: Node | None = None

    def __init__(self, crd: Raw, version: str) -> None:
        entry: Raw = next((found for found in crd["spec"]["versions"] if found["name"] == version), {})
        self._root = object_root((entry.get("schema") or {}).get("openAPIV3Schema"))
        subresources = entry.get("subresources") or {}
        self._has_status = "status" in subresources
        self._scale: Raw = subresources.get("scale") or {}

    def decode(self, obj: Raw, *, nulls: bool = False) -> Decoded:
        """Coerce the metadata, prune the rest and drop nulls that the schema does not allow (CR5, CR6)."""
        unknown: list[str] = []
        meta = decode(node_of(META), obj.get("metadata") or {})
        if meta.problem:
            return Decoded({}, (), meta.problem)
        try:
            pruned = prune(self._root, {**obj, "metadata": meta.object}, [], unknown, nulls=nulls)
        except Unreadable as fault:
            return Decoded({}, tuple(unknown), str(fault))
        unknown += [f"metadata.{name}" for name in meta.unknown]
        return Decoded(pruned, tuple(unknown), warnings=unite_owners(pruned["metadata"]))

    def default(self, obj: Raw) -> Raw:
        fill_defaults(self._root, obj)
        return obj

    def validate(self, new: Raw, old: Raw | None = None, *, subresource: str = "") -> list[FieldError]:
        errors = metadata_errors(new, old, native=False)
        if subresource == "status" and self._has_status:
            return errors + self._status_errors(new, old)
        errors += check(self._root, new, old=NOTHING if old is None else old)
        return errors + number_errors(self._scale.get("specReplicasPath") or "", new)

    def _status_errors(self, new: Raw, old: Raw | None) -> list[FieldError]:
        """Check what a write of the status can break; its complaints name paths below the status (B1)."""
        field = (self._root.properties or {}).get("status")
        errors = []
        if field is not None and "status" in new:
            for error in check(field, new["status"], old=(old or {}).get("status", NOTHING)):
                below = "" if error.field == "<nil>" else error.field
                errors.append(error._replace(field=f"status.{below}" if below else "status"))
        errors += number_errors(self._scale.get("statusReplicasPath") or "", new)
        return errors + text_errors(self._scale.get("labelSelectorPath") or "", new)

    def warnings(self, new: Raw, old: Raw | None = None) -> list[str]:
        """Warn about finalizers without a domain, where they are new (M7)."""
        found = metadata_warnings(new, native=False)
        return (
            found
            if old is None
            else [text for text in found if text not in metadata_warnings(old, native=False)]
        )

"""The type of a custom kind: pruning, defaults and validation by the schema of its CRD (sandbox-apiserver.md CR4)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.field_errors import FieldError, invalid
from kubectl_kruise.sandbox.native.decoding import Unreadable, decode
from kubectl_kruise.sandbox.native.structure import META, node_of
from kubectl_kruise.sandbox.schema.checking import check, json_type
from kubectl_kruise.sandbox.schema.compiling import object_root
from kubectl_kruise.sandbox.schema.metadata import metadata_errors, metadata_warnings, unite_owners
from kubectl_kruise.sandbox.schema.model import Decoded
from kubectl_kruise.sandbox.schema.node import NOTHING, Node
from kubectl_kruise.sandbox.schema.pruning import fill_defaults, prune

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

    def decode(self, obj: Raw) -> Decoded:
        """Coerce the metadata, prune the rest and drop nulls that the schema does not allow (CR5, CR6)."""
        unknown: list[str] = []
        meta = decode(node_of(META), obj.get("metadata") or {})
        if meta.problem:
            return Decoded({}, (), meta.problem)
        try:
            pruned = prune(self._root, {**obj, "metadata": meta.object}, [], unknown)
        except Unreadable as fault:
            return Decoded({}, tuple(unknown), str(fault))
        unknown += [f"metadata.{name}" for name in meta.unknown]
        return Decoded(pruned, tuple(unknown), warnings=unite_owners(pruned["metadata"]))

    def default(self, obj: Raw) -> Raw:
        fill_defaults(self._root, obj)
        return obj

    def validate(self, new: Raw, old: Raw | None = None, *, subresource: str = "") -> list[FieldError]:
        errors = metadata_errors(new, old, native=False)
        fields = self._root.properties or {}
        if subresource == "status" and self._has_status:
            status = new.get("status")
            before = (old or {}).get("status", NOTHING)
            return errors + (
                check(fields["status"], status, old=before, path="status")
                if "status" in fields and status is not None
                else []
            )
        errors += check(self._root, new, old=NOTHING if old is None else old)
        return errors + self._scale_errors(new)

    def warnings(self, new: Raw, old: Raw | None = None) -> list[str]:
        """Warn about finalizers without a domain, where they are new (M7)."""
        found = metadata_warnings(new, native=False)
        return (
            found
            if old is None
            else [text for text in found if text not in metadata_warnings(old, native=False)]
        )

    def _scale_errors(self, new: Raw) -> list[FieldError]:
        """Complain, as the real server does once more, where the number of replicas is none."""
        path = self._scale.get("specReplicasPath") or ""
        value: object = new
        for step in path.split(".")[1:]:
            if not isinstance(value, dict):
                detail = f"{path} accessor error: {_shown(value)} is of the type {_go_type(value)}, expected map[string]interface{{}}"
                return [invalid(path, 0, detail)]
            if value.get(step) is None:
                return []
            value = value[step]
        if not path or (json_type(value) == "integer" and not isinstance(value, float)):
            return _range_errors(path, value)
        return [
            invalid(
                path,
                0,
                f"{path} accessor error: {_shown(value)} is of the type {_go_type(value)}, expected int64",
            )
        ]


def _range_errors(path: str, value: object) -> list[FieldError]:
    if not path or not isinstance(value, int):
        return []
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    limit = 2**31 - 1
    return [invalid(path, value, f"should be less than or equal to {limit}")] if value > limit else []


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _go_type(value: object) -> str:
    names = {
        str: "string",
        bool: "bool",
        float: "float64",
        list: "[]interface {}",
        dict: "map[string]interface {}",
    }
    return names.get(type(value), "int64")

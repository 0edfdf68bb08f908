"""The index and the document of each group version, built on first use (sandbox-apiserver.md O1, O2, O8)."""

import hashlib
import json
from collections.abc import Iterable, Sequence

from kubectl_kruise.objects.raw import Raw, name_of, uid_of, version_of
from kubectl_kruise.sandbox.native.structure import native_kinds
from kubectl_kruise.sandbox.openapi.custom import custom_kinds
from kubectl_kruise.sandbox.openapi.native import native_document_kinds
from kubectl_kruise.sandbox.openapi.writing import DocumentKind, write_document


class Documents:
    """Documents by key (`api/v1`, `apis/apps/v1`), kept until what they describe changes."""

    def __init__(self) -> None:
        self._native = sorted({_key(kind.group, kind.version) for kind in native_kinds()})
        self._written: dict[str, tuple[str, bytes]] = {}

    def index(self, crds: Sequence[Raw]) -> Raw:
        """Give the body of `/openapi/v3`: every group version with the path of its document."""
        keys = [*self._native, *sorted({key for crd in crds for key in _keys_of(crd)})]
        paths = {
            key: {"serverRelativeURL": f"/openapi/v3/{key}?hash={self._hash(key, crds)}"} for key in keys
        }
        return {"paths": paths}

    def document(self, key: str, crds: Sequence[Raw]) -> tuple[bytes, str] | None:
        """Give a document as JSON with its hash; None for a group version that is not served."""
        own = [crd for crd in crds if key in _keys_of(crd)]
        if not own and key not in self._native:
            return None
        digest = self._hash(key, crds)
        if self._written.get(key, ("", b""))[0] != digest:
            body = json.dumps(write_document(key, self._kinds(key, own)), separators=(",", ":")).encode()
            self._written[key] = (digest, body)
        return self._written[key][1], digest

    def _hash(self, key: str, crds: Sequence[Raw]) -> str:
        """Give what changes with the document, without writing it: the stored forms of its CRDs."""
        parts = [
            key,
            *(f"{name_of(crd)}/{uid_of(crd)}/{version_of(crd)}" for crd in crds if key in _keys_of(crd)),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest().upper()

    def _kinds(self, key: str, crds: Iterable[Raw]) -> list[DocumentKind]:
        if key in self._native:
            return native_document_kinds(key)
        version = key.rpartition("/")[2]
        return [kind for crd in crds for kind in custom_kinds(crd, version)]


def _key(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _keys_of(crd: Raw) -> list[str]:
    spec = crd["spec"]
    return [_key(spec["group"], version["name"]) for version in spec["versions"] if version.get("served")]

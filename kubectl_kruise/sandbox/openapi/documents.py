"""The index and the document of each group version, built on first use (sandbox-apiserver.md O1, O2, O8)."""

import hashlib
import json

from kubectl_kruise.objects.raw import Raw, name_of, uid_of, version_of
from kubectl_kruise.sandbox.openapi.writing import write_document
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog
from kubectl_kruise.sandbox.registry.kinds.resources import Resource


class Documents:
    """Documents by key (`api/v1`, `apis/apps/v1`), kept until what they describe changes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._written: dict[str, tuple[str, bytes]] = {}

    def index(self) -> Raw:
        """Give the body of `/openapi/v3`: every group version with the path of its document."""
        kinds: dict[str, list[Resource]] = {}
        for resource in self._catalog.resources:
            kinds.setdefault(_key(resource), []).append(resource)
        paths = {
            key: {"serverRelativeURL": f"/openapi/v3/{key}?hash={_hash(key, found)}"}
            for key, found in kinds.items()
        }
        return {"paths": paths}

    def document(self, key: str) -> tuple[bytes, str] | None:
        """Give a document as JSON with its hash; None for a group version that is not served."""
        kinds = [resource for resource in self._catalog.resources if _key(resource) == key]
        if not kinds:
            return None
        digest = _hash(key, kinds)
        if self._written.get(key, ("", b""))[0] != digest:
            body = json.dumps(write_document(key, kinds), separators=(",", ":")).encode()
            self._written[key] = (digest, body)
        return self._written[key][1], digest


def _hash(key: str, kinds: list[Resource]) -> str:
    """Give what changes with the document, without writing it: the stored forms of its CRDs."""
    crds = (resource.crd for resource in kinds if resource.crd is not None)
    parts = [key, *(f"{name_of(crd)}/{uid_of(crd)}/{version_of(crd)}" for crd in crds)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest().upper()


def _key(resource: Resource) -> str:
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"

"""Which kinds are served right now: the native ones, and those of established CRDs (sandbox-apiserver.md D5, D7, CR14)."""

import re
from collections.abc import Iterable
from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native import model as native_model
from kubectl_kruise.sandbox.registry.kinds.resources import (
    CUSTOM_VERBS,
    Resource,
    native_resources,
    store_key,
)
from kubectl_kruise.sandbox.schema.custom import model as custom_model
from kubectl_kruise.sandbox.schema.model import TypeModel
from kubectl_kruise.sandbox.store import Event, Store

CRDS: Final = "customresourcedefinitions.apiextensions.k8s.io"
_VERSION: Final = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


class Catalog:
    """Served kinds by group, version and plural; follows the CRDs in the store."""

    def __init__(self, store: Store) -> None:
        self.native: Final = native_resources()
        self._native = {(found.group, found.version, found.plural): found for found in self.native}
        self._custom: dict[str, list[Resource]] = {}
        self._served: dict[tuple[str, str, str], Resource] = {}
        self.revision = 0
        """Changes whenever what is served changes."""
        store.listen(self._follow)
        self._index()

    @property
    def resources(self) -> Iterable[Resource]:
        """Give every served kind in every served version, natives first."""
        return self._served.values()

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._served.get((group, version, plural))

    def by_kind(self, api_version: str, kind: str) -> Resource | None:
        return next(
            (r for r in self._served.values() if r.kind == kind and r.api_version == api_version), None
        )

    def by_key(self, key: str) -> Resource | None:
        """Give a served version of what the store keeps under `key`, the stored one where it is served."""
        versions = [resource for resource in self._served.values() if resource.key == key]
        return min(versions, key=lambda resource: resource.api_version != resource.storage, default=None)

    def groups(self) -> dict[str, list[str]]:
        """Give the versions of every served group, best first."""
        versions: dict[str, dict[str, None]] = {}
        for resource in self._served.values():
            versions.setdefault(resource.group, {})[resource.version] = None
        return {group: sorted(found, key=version_rank) for group, found in versions.items()}

    def is_native(self, group: str) -> bool:
        return any(resource.group == group for resource in self.native)

    def model(self, resource: Resource) -> TypeModel:
        """Give the types of a kind: how it is decoded, defaulted and validated."""
        if resource.crd is not None:
            return custom_model(resource.crd, resource.version)
        return native_model(resource.api_version, resource.kind)

    def storage_model(self, resource: Resource) -> TypeModel | None:
        """Give the types of the stored version where another one is served; None where conversion is in our hands."""
        if resource.crd is None:
            return None
        return custom_model(resource.crd, resource.storage.rpartition("/")[2])

    def reset(self) -> None:
        self._custom.clear()
        self._index()

    def _follow(self, event: Event) -> None:
        if event.new.resource != CRDS:
            return
        crd = event.new.object
        served = event.type != "DELETED" and established(crd)
        fresh = custom_resources(crd) if served else []
        old = self._custom.get(event.new.name, [])
        if old and fresh and old[0].crd is not None and old[0].crd["spec"] == crd["spec"]:
            return
        if old or fresh:
            self._custom[event.new.name] = fresh
            self._index()

    def _index(self) -> None:
        self._served = dict(self._native)
        for name in sorted(self._custom):
            for resource in self._custom[name]:
                self._served[resource.group, resource.version, resource.plural] = resource
        self.revision += 1


def established(crd: Raw) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or []
    return any(found["type"] == "Established" and found["status"] == "True" for found in conditions)


def custom_resources(crd: Raw) -> list[Resource]:
    """Give a Resource for every served version of a CRD."""
    spec, names = crd["spec"], crd["spec"]["names"]
    storage = next(entry["name"] for entry in spec["versions"] if entry.get("storage"))
    return [
        Resource(
            spec["group"],
            entry["name"],
            names["kind"],
            names["plural"],
            names.get("singular") or names["kind"].lower(),
            tuple(names.get("shortNames") or ()),
            tuple(names.get("categories") or ()),
            namespaced=spec["scope"] == "Namespaced",
            subresources=tuple(
                sub for sub in ("status", "scale") if sub in (entry.get("subresources") or {})
            ),
            verbs=CUSTOM_VERBS,
            list_kind=names.get("listKind") or names["kind"] + "List",
            has_generation=True,
            storage=f"{spec['group']}/{storage}",
            key=store_key(names["plural"], spec["group"]),
            crd=crd,
        )
        for entry in spec["versions"]
        if entry.get("served")
    ]


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Sort key of Kubernetes version priority: GA, beta, alpha, then by number, highest first; others last."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return 3, 0, 0, version
    stage = {None: 0, "beta": 1, "alpha": 2}[match[2]]
    return stage, -int(match[1]), -int(match[3] or 0), ""

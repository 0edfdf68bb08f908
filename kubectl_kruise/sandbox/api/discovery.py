"""Discovery: what is served, aggregated and in the old form (sandbox-apiserver.md §4)."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog
from kubectl_kruise.sandbox.registry.kinds.resources import Resource

FIRST_GROUPS: Final = (
    "", "apps", "events.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch",
    "networking.k8s.io", "policy", "rbac.authorization.k8s.io", "storage.k8s.io", "admissionregistration.k8s.io",
    "apiextensions.k8s.io", "scheduling.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
)  # fmt: skip
"""The native groups in the order of a real server."""
SUBRESOURCE_VERBS: Final = {
    "status": ("get", "patch", "update"),
    "scale": ("get", "patch", "update"),
    "binding": ("create",),
    "eviction": ("create",),
    "token": ("create",),
    "finalize": ("update",),
    "log": ("get",),
    "exec": ("create", "get"),
    "attach": ("create", "get"),
    "portforward": ("create", "get"),
    "proxy": ("create", "delete", "get", "patch", "update"),
    "ephemeralcontainers": ("get", "patch", "update"),
    "resize": ("get", "patch", "update"),
}
SUBRESOURCE_KINDS: Final = {
    "scale": ("autoscaling", "v1", "Scale"),
    "eviction": ("policy", "v1", "Eviction"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
    "binding": ("", "", "Binding"),
    "exec": ("", "", "PodExecOptions"),
    "attach": ("", "", "PodAttachOptions"),
    "portforward": ("", "", "PodPortForwardOptions"),
}
REVIEWS: Final = tuple(
    Resource(
        group, "v1", kind, f"{kind.lower()}s", kind.lower(),
        namespaced=kind.startswith("Local"), verbs=("create",),
    )
    for group, kinds in (
        ("authentication.k8s.io", ("SelfSubjectReview", "TokenReview")),
        (
            "authorization.k8s.io",
            (
                "LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview",
                "SubjectAccessReview",
            ),
        ),
    )
    for kind in kinds
)  # fmt: skip
"""Kinds that can only be created and are answered at once."""
PROXY_KINDS: Final = {
    "pods": "PodProxyOptions",
    "services": "ServiceProxyOptions",
    "nodes": "NodeProxyOptions",
}


class Document(NamedTuple):
    """A discovery answer and the tag that names its content."""

    body: bytes
    etag: str


class Discovery:
    """Documents of discovery, made anew only when what is served has changed."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: dict[str, Document | None] = {}
        self._revision = -1

    def aggregated(self, root: str, version: str) -> Document:
        """Give the APIGroupDiscoveryList of `/api` or `/apis`."""
        return self._document(f"{root} {version}", lambda: self._aggregate(root, version))

    def legacy(self, path: tuple[str, ...], address: str) -> Document | None:
        """Give the old document of `/api`, `/apis`, `/apis/G`, `/api/v1` or `/apis/G/V`; None for one unknown."""
        match path:
            case ("api",):
                return _encode(
                    {
                        "kind": "APIVersions",
                        "versions": ["v1"],
                        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
                    }
                )
            case ("apis",):
                groups = [_group(group, served) for group, served in self._versions().items() if group]
                return _encode({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
            case ("apis", group) if group in self._versions():
                return _encode(
                    {"kind": "APIGroup", "apiVersion": "v1"} | _group(group, self._versions()[group])
                )
            case ("api", version):
                return self._resource_list("", version)
            case ("apis", group, version):
                return self._resource_list(group, version)
        return None

    @property
    def _resources(self) -> Iterable[Resource]:
        return (*self._catalog.resources, *REVIEWS)

    def _versions(self) -> dict[str, list[str]]:
        """Give the versions of every group: natives first, then those of CRDs by name (D5)."""
        order = {group: index for index, group in enumerate(FIRST_GROUPS)}
        custom = {resource.group for resource in self._catalog.resources if resource.custom}
        found = self._catalog.groups() | {resource.group: [resource.version] for resource in REVIEWS}
        groups = sorted(found, key=lambda group: (group in custom, order.get(group, len(order)), group))
        return {group: found[group] for group in groups}

    def _of(self, group: str, version: str) -> list[Resource]:
        found = [r for r in self._resources if (r.group, r.version) == (group, version)]
        return sorted(found, key=lambda resource: resource.plural)

    def _document(self, key: str, make: object) -> Document:
        if self._revision != self._catalog.revision:
            self._made.clear()
            self._revision = self._catalog.revision
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = _encode(make())  # type: ignore[operator]
        return found

    def _aggregate(self, root: str, version: str) -> Raw:
        items = [
            {
                "metadata": {"name": group} if group else {},
                "versions": [
                    {
                        "version": served,
                        "resources": [_item(resource) for resource in self._of(group, served)],
                        "freshness": "Current",
                    }
                    for served in versions
                ],
            }
            for group, versions in self._versions().items()
            if (group == "") == (root == "api")
        ]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{version}",
            "metadata": {},
            "items": items,
        }

    def _resource_list(self, group: str, version: str) -> Document | None:
        entries = [entry for resource in self._of(group, version) for entry in _legacy_entries(resource)]
        if not entries:
            return None
        name = f"{group}/{version}" if group else version
        head = {"kind": "APIResourceList", "apiVersion": "v1"} if group else {"kind": "APIResourceList"}
        return _encode(head | {"groupVersion": name, "resources": entries})


def _encode(document: Raw) -> Document:
    body = orjson.dumps(document)
    return Document(body, f'"{hashlib.sha256(body).hexdigest().upper()}"')


def _group(group: str, versions: Iterable[str]) -> Raw:
    listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": listed, "preferredVersion": listed[0]}


def _item(resource: Resource) -> Raw:
    item: Raw = {
        "resource": resource.plural,
        "responseKind": _kind(*_own(resource), resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    } | _optional(resource)
    if resource.subresources:
        item["subresources"] = [
            {
                "subresource": name,
                "responseKind": _kind(*_kind_of(resource, name)),
                "verbs": list(SUBRESOURCE_VERBS[name]),
            }
            for name in resource.subresources
        ]
    return item


def _own(resource: Resource) -> tuple[str, str]:
    """Give group and version as aggregated discovery shows them: a real server leaves those of native kinds out."""
    return (resource.group, resource.version) if resource.custom else ("", "")


def _optional(resource: Resource) -> Raw:
    found = {"shortNames": list(resource.short_names), "categories": list(resource.categories)}
    return {key: names for key, names in found.items() if names}


def _kind_of(resource: Resource, part: str) -> tuple[str, str, str]:
    """Give group, version and kind of what a subresource takes."""
    kind = PROXY_KINDS[resource.plural] if part == "proxy" else resource.kind
    return SUBRESOURCE_KINDS.get(part) or (*_own(resource), kind)


def _kind(group: str, version: str, kind: str) -> Raw:
    return {"group": group, "version": version, "kind": kind}


def _legacy_entries(resource: Resource) -> list[Raw]:
    main: Raw = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    } | _optional(resource)
    if resource.storage:
        main["storageVersionHash"] = _storage_hash(resource)
    entries = [main]
    for name in resource.subresources:
        entry = {"name": f"{resource.plural}/{name}", "singularName": "", "namespaced": resource.namespaced}
        group, version, kind = _kind_of(resource, name)
        if name in SUBRESOURCE_KINDS and version:
            entry |= {"group": group, "version": version}
        entries.append(entry | {"kind": kind, "verbs": list(SUBRESOURCE_VERBS[name])})
    return entries


def _storage_hash(resource: Resource) -> str:
    """Name the version in which objects are stored, as clients that migrate storage compare it."""
    root = "" if resource.group else "/"
    name = f"{root}{resource.storage}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(name.encode()).digest()[:8]).decode()

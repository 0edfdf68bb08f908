"""Discovery: what is served, aggregated and in the old form (sandbox-apiserver.md §4)."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.catalog import Catalog
from kubectl_kruise.sandbox.registry.resources import Resource

FIRST_GROUPS: Final = (
    "",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
)
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
REVIEWS: Final = {
    "authentication.k8s.io": ("SelfSubjectReview", "TokenReview"),
    "authorization.k8s.io": (
        "LocalSubjectAccessReview",
        "SelfSubjectAccessReview",
        "SelfSubjectRulesReview",
        "SubjectAccessReview",
    ),
}
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
                groups = [_group(group, self._versions()[group]) for group in self._groups() if group]
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

    def _versions(self) -> dict[str, list[str]]:
        return self._catalog.groups() | {group: ["v1"] for group in REVIEWS}

    def _groups(self) -> list[str]:
        """Give the groups in their order: natives first, then those of CRDs by name (D5)."""
        order = {group: index for index, group in enumerate(FIRST_GROUPS)}
        return sorted(
            self._versions(),
            key=lambda group: (
                not (self._catalog.is_native(group) or group in REVIEWS),
                order.get(group, 99),
                group,
            ),
        )

    def _of(self, group: str, version: str) -> list[Resource]:
        found = [r for r in self._catalog.resources if r.group == group and r.version == version]
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
        groups = [""] if root == "api" else [group for group in self._groups() if group]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{version}",
            "metadata": {},
            "items": [self._group_item(group) for group in groups],
        }

    def _group_item(self, group: str) -> Raw:
        versions = [
            {
                "version": version,
                "resources": [_item(r) for r in self._of(group, version)]
                + [_review_item(k) for k in REVIEWS.get(group, ())],
                "freshness": "Current",
            }
            for version in self._versions()[group]
        ]
        return {"metadata": {"name": group} if group else {}, "versions": versions}

    def _resource_list(self, group: str, version: str) -> Document | None:
        resources = self._of(group, version)
        reviews = REVIEWS.get(group, ()) if version == "v1" else ()
        if not resources and not reviews:
            return None
        entries = [entry for resource in resources for entry in _legacy_entries(resource)]
        entries += [_legacy_review(kind) for kind in reviews]
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
    own = (resource.group, resource.version) if resource.custom else ("", "")
    item: Raw = {
        "resource": resource.plural,
        "responseKind": _kind(*own, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(_verbs(resource)),
    }
    if resource.short_names:
        item["shortNames"] = list(resource.short_names)
    if resource.categories:
        item["categories"] = list(resource.categories)
    if resource.subresources:
        item["subresources"] = [
            {
                "subresource": name,
                "responseKind": _kind(*(SUBRESOURCE_KINDS.get(name) or (*own, _sub_kind(resource, name)))),
                "verbs": list(SUBRESOURCE_VERBS[name]),
            }
            for name in _ordered(resource)
        ]
    return item


def _ordered(resource: Resource) -> list[str]:
    return list(resource.subresources) if resource.custom else sorted(resource.subresources)


def _verbs(resource: Resource) -> tuple[str, ...]:
    if resource.custom:
        return "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"
    return resource.verbs


def _sub_kind(resource: Resource, name: str) -> str:
    return PROXY_KINDS[resource.plural] if name == "proxy" else resource.kind


def _kind(group: str, version: str, kind: str) -> Raw:
    return {"group": group, "version": version, "kind": kind}


def _legacy_entries(resource: Resource) -> list[Raw]:
    main: Raw = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(_verbs(resource)),
    }
    if resource.short_names:
        main["shortNames"] = list(resource.short_names)
    if resource.categories:
        main["categories"] = list(resource.categories)
    main["storageVersionHash"] = _storage_hash(resource)
    entries = [main]
    for name in _ordered(resource):
        group, version, kind = SUBRESOURCE_KINDS.get(name) or ("", "", _sub_kind(resource, name))
        entry: Raw = {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
        }
        if version:
            entry |= {"group": group, "version": version}
        entries.append(entry | {"kind": kind, "verbs": list(SUBRESOURCE_VERBS[name])})
    return entries


def _storage_hash(resource: Resource) -> str:
    """Name the version in which objects are stored, as clients that migrate storage compare it."""
    name = f"{resource.storage}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(name.encode()).digest()[:8]).decode()


def _review_plural(kind: str) -> str:
    return kind.lower() + "s"


def _review_item(kind: str) -> Raw:
    return {
        "resource": _review_plural(kind),
        "responseKind": _kind("", "", kind),
        "scope": "Namespaced" if kind.startswith("Local") else "Cluster",
        "singularResource": kind.lower(),
        "verbs": ["create"],
    }


def _legacy_review(kind: str) -> Raw:
    return {
        "name": _review_plural(kind),
        "singularName": kind.lower(),
        "namespaced": kind.startswith("Local"),
        "kind": kind,
        "verbs": ["create"],
    }

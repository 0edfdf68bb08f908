"""Short forms in which recordings show parts of an answer."""

from collections.abc import Callable
from typing import Any

from kubectl_kruise.objects.raw import dig, name_of

REDUCED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "names": lambda body: [name_of(item) for item in body.get("items", [])],
    "conditions": lambda body: dig(body, ("status", "conditions")),
    "replicas": lambda body: dig(body, ("spec", "replicas")),
    "generation": lambda body: dig(body, ("metadata", "generation")),
    "versions": lambda body: [v["name"] for v in dig(body, ("spec", "versions"), [])],
    "storedVersions": lambda body: dig(body, ("status", "storedVersions")),
    "nodeName": lambda body: dig(body, ("spec", "nodeName")),
    "resources": lambda body: dig(body, ("spec", "containers", 0, "resources")),
    "groupsAndVersions": lambda body: [
        [item["metadata"]["name"], [version["version"] for version in item["versions"]]]
        for item in body.get("items", [])
    ],
    "cells": lambda body: [row["cells"] for row in body.get("rows", [])],
    "grace": lambda body: dig(body, ("spec", "terminationGracePeriodSeconds")),
    "pathKeys": lambda body: sorted(body.get("paths", {})),
    "schemaKeys": lambda body: sorted(dig(body, ("components", "schemas"), {})),
    "n": lambda body: len(body.get("items", [])),
}
"""By the key under which a recording shows it."""
ITEM = ("name", "labels", "finalizers", "ownerReferences")


def shortened(body: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Add to an answer the short forms that a recording shows in place of its parts."""
    body = body | {key: make(body) for key, make in REDUCED.items() if key in wanted and key not in body}
    spec = body.get("spec") or {}
    body |= {key: spec[key] for key in wanted if key not in body and key in spec}
    if "keys" in (wanted.get("spec") or {}):
        body["spec"] = spec | {"keys": sorted(spec)}
    if any(isinstance(found, list) for found in wanted.get("versions") or ()):
        switch = "storage" if "storedVersions" in wanted.get("status", {}) else "served"
        body["versions"] = [[v["name"], v[switch]] for v in body["spec"]["versions"]]
    if any(isinstance(found, list) for found in wanted.get("names") or ()):
        body["names"] = [[name_of(item), "deletionTimestamp" in item["metadata"]] for item in body["items"]]
    if any("deleting" in item for item in wanted.get("items") or ()):
        body["items"] = [_item(item["metadata"]) for item in body["items"]]
    return body


def _item(meta: dict[str, Any]) -> dict[str, Any]:
    return {key: meta.get(key) for key in ITEM} | {"deleting": "deletionTimestamp" in meta}

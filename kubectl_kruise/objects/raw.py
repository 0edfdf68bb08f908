"""Raw objects as the JSON parser gives them, and the few ways to reach into them."""

from collections.abc import Sequence
from typing import Any

Raw = dict[str, Any]
"""A Kubernetes object or a part of one. The only place where Any enters."""


def dig(raw: Any, path: Sequence[str | int], default: Any = None) -> Any:
    """Follow keys and indices; give `default` where one is absent, null or of another shape."""
    for step in path:
        if isinstance(step, str):
            raw = raw.get(step) if isinstance(raw, dict) else None
        else:
            raw = raw[step] if isinstance(raw, list) and -len(raw) <= step < len(raw) else None
        if raw is None:
            return default
    return raw


def copied(value: Any) -> Any:
    """Copy JSON with all its containers: what comes out may be changed in place."""
    if isinstance(value, dict):
        return {
            key: copied(inner) if isinstance(inner, dict | list) else inner for key, inner in value.items()
        }
    return [copied(item) for item in value] if isinstance(value, list) else value


def put(raw: Raw, path: Sequence[str], value: Any) -> None:
    """Set a field in place; maps on the way are made where they are absent."""
    *parents, leaf = path
    for step in parents:
        raw = raw.setdefault(step, {})
    raw[leaf] = value


def metadata(raw: Raw) -> Raw:
    return raw.get("metadata") or {}


def name_of(raw: Raw) -> str:
    return str(metadata(raw).get("name") or "")


def namespace_of(raw: Raw) -> str:
    return str(metadata(raw).get("namespace") or "")


def uid_of(raw: Raw) -> str:
    return str(metadata(raw).get("uid") or "")


def labels_of(raw: Raw) -> dict[str, str]:
    return metadata(raw).get("labels") or {}


def annotations_of(raw: Raw) -> dict[str, str]:
    return metadata(raw).get("annotations") or {}


def version_of(raw: Raw) -> str:
    """Give metadata.resourceVersion, "" where there is none."""
    return str(metadata(raw).get("resourceVersion") or "")


def version_number(raw: Raw) -> int:
    """Give metadata.resourceVersion as the number it is on every known server, 0 for one that cannot be compared."""
    text = version_of(raw)
    return int(text) if text.isdecimal() else 0


def deleting(raw: Raw) -> bool:
    return bool(metadata(raw).get("deletionTimestamp"))


def api_version(raw: Raw) -> str:
    """Give the version without its group: `v1alpha1` of `apps.kruise.io/v1alpha1`, "" where the object names none."""
    return str(raw.get("apiVersion") or "").rpartition("/")[2]


def owner_of(raw: Raw) -> Raw | None:
    """Give the controller owner reference, None where no owner is the controller."""
    references = metadata(raw).get("ownerReferences") or []
    return next((reference for reference in references if reference.get("controller")), None)


def owner_uid(raw: Raw) -> str:
    """Give the uid of the owner that is the controller, "" without one."""
    return str((owner_of(raw) or {}).get("uid") or "")


def controller_reference(group_version: str, kind: str, name: str, uid: str) -> Raw:
    """Give the owner reference of a controller, which keeps its owner until it is gone itself."""
    return {
        "apiVersion": group_version,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }

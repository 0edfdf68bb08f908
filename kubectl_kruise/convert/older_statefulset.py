"""Manifests of Advanced StatefulSets in v1alpha1, as v1beta1 (advanced-statefulset.md §8).

What a server would make of the manifest stays the same: fields that v1alpha1 does not have were never taken, and go.
"""

from typing import Final, NamedTuple

from kubectl_kruise.facts.kinds import KRUISE_GROUP, STATEFULSET
from kubectl_kruise.facts.statefulset_fields import ONLY_V1BETA1
from kubectl_kruise.objects.raw import Raw, api_version, name_of

OLDER: Final = "v1alpha1"
NEWER: Final = "v1beta1"
_LIST: Final = "List"


class Found(NamedTuple):
    """A set of a file: its name, the version it was in, and the fields that were dropped, as paths."""

    name: str
    version: str
    dropped: tuple[str, ...] = ()


def why_dropped(version: str) -> str:
    """Say why a field of a set in this version is dropped."""
    return f"{version} has no such field, so no server took it"


def upgrade_document(document: Raw, found: list[Found]) -> Raw:
    """Give a document with every set in it, also within lists, in v1beta1; what else it holds stays as it is.

    `document` is only read; each set is noted in `found`, in the order in which they stand.
    """
    kind, items = str(document.get("kind") or ""), document.get("items")
    if kind.endswith(_LIST) and isinstance(items, list):
        return _upgrade_list(document, kind.removesuffix(_LIST), items, found)
    return _upgrade_set(document, found) if _is_set(document) else document


def _upgrade_list(document: Raw, single: str, items: list[object], found: list[Found]) -> Raw:
    made: Raw = {}
    typed = {"apiVersion": document.get("apiVersion"), "kind": single}
    made["items"] = [_upgrade_item(item, typed, found) if isinstance(item, dict) else item for item in items]
    if _is_set(typed):
        made["apiVersion"] = f"{KRUISE_GROUP}/{NEWER}"
    return {key: made.get(key, value) for key, value in document.items()}


def _upgrade_item(item: Raw, typed: Raw, found: list[Found]) -> Raw:
    """Upgrade an item, which in a list of one kind need not say what it is."""
    if not typed["kind"] or "kind" in item:
        return upgrade_document(item, found)
    upgraded = upgrade_document({**typed, **item}, found)
    return {key: value for key, value in upgraded.items() if key in item}


def _is_set(document: Raw) -> bool:
    """Say whether this is a set in one of the two versions."""
    version = str(document.get("apiVersion") or "")
    return document.get("kind") == STATEFULSET.kind and version in (
        f"{KRUISE_GROUP}/{OLDER}",
        f"{KRUISE_GROUP}/{NEWER}",
    )


def _upgrade_set(document: Raw, found: list[Found]) -> Raw:
    version = api_version(document)
    if version == NEWER:
        found.append(Found(name_of(document), version))
        return document
    spec = document.get("spec")
    given = spec.items() if isinstance(spec, dict) else ()
    unknown = [key for key, value in given if key in ONLY_V1BETA1 and value is not None]
    found.append(Found(name_of(document), version, tuple(f"spec.{key}" for key in unknown)))
    made = {**document, "apiVersion": f"{KRUISE_GROUP}/{NEWER}"}
    if unknown and isinstance(spec, dict):
        made["spec"] = {key: value for key, value in spec.items() if key not in unknown}
    return made

"""Which fields a request makes whose: managed fields, as the registry asks for them (sandbox-apiserver.md §17)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import Fields
from kubectl_kruise.sandbox.managed.owners import UPDATE, entries_of, writer
from kubectl_kruise.sandbox.managed.scaling import SCALE
from kubectl_kruise.sandbox.managed.shape import Compiler, Shape
from kubectl_kruise.sandbox.managed.types import Write
from kubectl_kruise.sandbox.managed.updating import owners_asked_for, update
from kubectl_kruise.sandbox.native import decoding
from kubectl_kruise.sandbox.native.structure import definition_of, node_of, schema_of
from kubectl_kruise.sandbox.openapi.schemas import schema_shown
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.kinds import versions
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.sameness import same

_COMPILER: Final = Compiler(schema_of)
_CACHED: Final = 256
_SCALE_TYPE: Final = "io.k8s.api.autoscaling.v1.Scale"
_STATUS: Final[Fields] = {"f:status": {}}
_ALL_BUT_STATUS: Final[Fields] = {"f:spec": {}, "f:metadata": {}}
_ALL_BUT_NATIVE_STATUS: Final[dict[str, Fields]] = {
    "pods": {"f:spec": {}, "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    "deployments.apps": {"f:spec": {}, "f:metadata": {"f:labels": {}}},
    "customresourcedefinitions.apiextensions.k8s.io": _ALL_BUT_STATUS,
}
"""What the status endpoint of a native kind does not take, where it is more than the spec (B1)."""


class KindTypes:
    """The types of one kind in all its versions, as managed.types.Types."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self.fixed = not resource.custom

    def shape(self, api_version: str) -> Shape | None:
        return _shape(self._resource, api_version)

    def convert(self, raw: Raw, api_version: str) -> Raw:
        return versions.convert(raw, self._resource, api_version)


class ScaleTypes:
    """The type of a scale, as managed.types.Types."""

    fixed = True

    def shape(self, api_version: str) -> Shape | None:
        return _COMPILER.named(_SCALE_TYPE) if api_version == SCALE else None

    def convert(self, raw: Raw, api_version: str) -> Raw:  # noqa: ARG002 - there is one version
        return raw


def created(call: Call, new: Raw, sent: Any, now: str) -> list[Raw]:
    """Give the entries of a new object; `sent` are those that the client gave it."""
    empty = empty_object(call.resource)
    return entries_of(
        update(
            owners_asked_for(empty, sent), empty, new, write_of(call, UPDATE, now), KindTypes(call.resource)
        )
    )


def updated(call: Call, shown: Raw, new: Raw, sent: Any, now: str) -> list[Raw]:
    """Give the entries of a changed object; those that the client sent count on the main endpoint only (F8)."""
    owners = owners_asked_for(shown, None if call.subresource else sent)
    return entries_of(update(owners, shown, new, write_of(call, UPDATE, now), KindTypes(call.resource)))


def unowned(shown: Raw, _new: Raw, _sent: Any) -> list[Raw]:
    """Give the entries after a write of the server itself, by which nobody comes to own anything."""
    return shown["metadata"].get("managedFields") or []


def put(raw: Raw, entries: Sequence[Raw]) -> None:
    """Set the managed fields of an object in place; an object that nobody owns has none."""
    raw["metadata"].pop("managedFields", None)
    if entries:
        raw["metadata"]["managedFields"] = list(entries)


def settle(new: Raw, shown: Raw, entries: Sequence[Raw]) -> None:
    """Set the managed fields in place; where nothing else changes, a change of their times alone is none (M3)."""
    held = shown["metadata"].get("managedFields") or ()
    put(new, held)
    if not same(new, shown) or _timeless(held) != _timeless(entries):
        put(new, entries)


def _timeless(entries: Sequence[Raw]) -> list[Raw]:
    return [{key: value for key, value in entry.items() if key != "time"} for entry in entries]


def write_of(call: Call, operation: str, now: str) -> Write:
    """Describe the write that a call makes; a scale is an object of its own type."""
    version = SCALE if call.subresource == "scale" else call.resource.api_version
    who = writer(call.manager, operation, version, call.subresource)
    return Write(who, version, now, _ignored(call))


def empty_object(resource: Resource) -> Raw:
    """Give the object with nothing in it, against which a new one is compared: of a native kind, what it always prints."""
    empty: Raw = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {}}
    if not resource.custom:
        decoding.complete(node_of(definition_of(resource.api_version, resource.kind)), empty)
    return empty


def _ignored(call: Call) -> Fields:
    """Give the fields that an endpoint does not take from its clients, who so cannot own them."""
    resource = call.resource
    if call.subresource == "status":
        return (
            _ALL_BUT_STATUS if resource.custom else _ALL_BUT_NATIVE_STATUS.get(resource.key, {"f:spec": {}})
        )
    return _STATUS if "status" in resource.subresources and not call.subresource else {}


def _shape(resource: Resource, api_version: str) -> Shape | None:
    if resource.crd is not None:
        return _custom_shape(resource, api_version)
    return _native_shape(api_version, resource.kind)


@cache
def _native_shape(api_version: str, kind: str) -> Shape | None:
    try:
        return _COMPILER.named(definition_of(api_version, kind))
    except KeyError:
        return None


@lru_cache(maxsize=_CACHED)
def _custom_shape(resource: Resource, api_version: str) -> Shape | None:
    group, _, version = api_version.rpartition("/")
    known = {entry["name"] for entry in (resource.crd or {})["spec"]["versions"]}
    if group != resource.group or version not in known:
        return None
    return _COMPILER.compile(schema_shown(replace(resource, version=version)))

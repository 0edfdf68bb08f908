"""The scale subresource: replicas of any workload in one shape (sandbox-apiserver.md B2)."""

import dataclasses
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.managed.owners import APPLY, UPDATE, entries_of, held_owners, read_owners
from kubectl_kruise.sandbox.managed.scaling import REPLICAS, Places, parent_owners, scale_owners
from kubectl_kruise.sandbox.managed.updating import update
from kubectl_kruise.sandbox.native import decoding
from kubectl_kruise.sandbox.native.structure import node_of
from kubectl_kruise.sandbox.registry import identity, tracking
from kubectl_kruise.sandbox.registry.call import Body, Call, decode, judge_fields
from kubectl_kruise.sandbox.registry.configuration import read_configuration
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.patching.patch import CUSTOM_TYPES, read_patch
from kubectl_kruise.sandbox.registry.patching.results import unreadable
from kubectl_kruise.sandbox.registry.registry import Entries, Registry
from kubectl_kruise.sandbox.store import Stored

Paths = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
API_VERSION: Final = "autoscaling/v1"
SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
_MISFIT: Final = "json: cannot unmarshal"
_UNTYPED: Final = "unrecognized type: int32"
"""What a strategic patch says of a number of replicas that is none: it is applied to the typed object."""
NATIVE_PATHS: Final[Paths] = (("spec", "replicas"), ("status", "replicas"), ("spec", "selector"))


def read(registry: Registry, call: Call) -> Stored:
    """Read the Scale of an object; a custom one without a number of replicas has none."""
    stored = registry.get(call)
    path = _paths(call.resource)[0]
    if call.resource.custom and dig(stored.object, path) is None:
        raise _no_replicas(path)
    return _shown(call.resource, stored)


def replace(registry: Registry, call: Call, body: Body) -> Stored:
    """PUT a Scale."""
    kind, api_version = body.object.get("kind") or "Scale", body.object.get("apiVersion") or API_VERSION
    if kind != "Scale":
        version = api_version.rpartition("/")[2]
        raise status.bad_request(
            f'{kind} in version "{version}" cannot be handled as a Scale: '
            f"converting ({version}.{kind}) to (autoscaling.Scale): unknown conversion"
        )

    def produce(_: Raw) -> Raw:
        identity.check_name(call, body.object)
        return _read(call, body, _cannot_handle)

    return _write(registry, call, produce)


def patch(registry: Registry, call: Call, body: bytes, media_type: str) -> Stored:
    """PATCH a Scale."""
    if media_type == PatchType.APPLY:
        return _apply(registry, call, body)
    if media_type == PatchType.STRATEGIC and call.resource.custom:
        raise status.unsupported_media(CUSTOM_TYPES)
    edit = read_patch(body, media_type, node_of(SCALE))

    def produce(before: Raw) -> Raw:
        result = edit(before)

        def refuse(why: str) -> status.Refused:
            return unreadable(
                edit, result, before, _UNTYPED if edit.strategic and why.startswith(_MISFIT) else why
            )

        sent = (result.get("apiVersion"), result.get("kind"))
        if sent != (API_VERSION, "Scale") and not edit.strategic:
            unknown = f'no kind "{sent[1]}" is registered for version "{sent[0]}"'
            raise refuse(f'{unknown} in scheme "{identity.SCHEME}"')
        return _read(call, Body(result, told=edit.told), refuse)

    return _write(registry, call, produce)


def _apply(registry: Registry, call: Call, body: bytes) -> Stored:
    from kubectl_kruise.sandbox.registry.applying import Target, configured

    config = read_configuration(body)
    write = tracking.write_of(call, APPLY, registry.now)
    empty: Raw = {"apiVersion": API_VERSION, "kind": "Scale", "metadata": {}, "spec": {}, "status": {}}
    target = Target(tracking.ScaleTypes(), write, empty)
    entries: list[Raw] = []

    def produce(before: Raw) -> Raw:
        applied = configured(call, target, before, config)
        entries.extend(entries_of(applied.owners))
        if call.resource.custom:
            named = f"{config.text('namespace')}/{config.text('name')}; {config.type}"
            why = f"request to convert CR to an invalid group/version: {API_VERSION}"
            raise status.server_fault(f"failed to convert new object ({named}) to proper version: {why}")
        return applied.object

    return _write(registry, call, produce, lambda *_: entries)


def _read(call: Call, body: Body, refuse: Callable[[str], status.Refused]) -> Raw:
    """Read a Scale as the type it is (N2, N3)."""
    decoded = decoding.decode(node_of(SCALE), body.object)
    if decoded.problem:
        raise refuse(decoded.problem)
    judge_fields(call, decoded, body, refuse)
    return decoded.object


def _cannot_handle(why: str) -> status.Refused:
    return status.bad_request(f'Scale in version "v1" cannot be handled as a Scale: {why}')


def _write(
    registry: Registry, call: Call, produce: Callable[[Raw], Raw], entries: Entries | None = None
) -> Stored:
    """Write the number of replicas into the parent; `entries` gives the scale's managed fields, else those of an update."""
    resource = call.resource
    spec_path, places = _paths(resource)[0], _places(resource)
    settled: list[Raw] = []

    def scaled(parent: Raw) -> Raw:
        owners, before = held_owners(parent), _scale_of(resource, parent)
        tracking.put(before, entries_of(scale_owners(owners, places)))
        after = produce(before)
        replicas = dig(after, ("spec", "replicas"), 0)
        if replicas < 0 and not resource.custom:
            error = field_errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
            raise status.invalid("autoscaling", "Scale", call.name, [error])
        shown = entries(before, after, None) if entries else _updated(registry, call, before, after)
        settled.extend(
            entries_of(parent_owners(owners, read_owners(shown) or {}, places, resource.api_version))
        )
        new = decode(call, registry.catalog.model(resource), Body(_with(parent, spec_path, replicas)))
        if version := dig(after, ("metadata", "resourceVersion")):
            new["metadata"]["resourceVersion"] = version
        return new

    return _shown(resource, registry.update(call, scaled, lambda *_: settled))


def _updated(registry: Registry, call: Call, before: Raw, after: Raw) -> list[Raw]:
    write = tracking.write_of(call, UPDATE, registry.now)
    full = {"apiVersion": API_VERSION, "kind": "Scale"} | after
    return entries_of(update(held_owners(before), before, full, write, tracking.ScaleTypes()))


def _places(resource: Resource) -> Places:
    """Give where the number of replicas stands in the versions of a kind, as path elements."""
    if resource.crd is None:
        return {resource.api_version: REPLICAS}
    versions = [entry["name"] for entry in resource.crd["spec"]["versions"]]
    found = {version: _paths(dataclasses.replace(resource, version=version))[0] for version in versions}
    return {
        f"{resource.group}/{version}": tuple(f"f:{step}" for step in path) for version, path in found.items()
    }


def _shown(resource: Resource, stored: Stored) -> Stored:
    return Stored(stored.resource, _scale_of(resource, stored.object), stored.version)


def _scale_of(resource: Resource, parent: Raw) -> Raw:
    spec_path, status_path, selector_path = _paths(resource)
    meta = parent["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    shown: Raw = {"replicas": dig(parent, status_path, 0)}
    if selector := _selector_text(dig(parent, selector_path) if selector_path else None):
        shown["selector"] = selector
    replicas = dig(parent, spec_path, 0)
    return {
        "kind": "Scale",
        "apiVersion": API_VERSION,
        "metadata": {name: meta[name] for name in kept if name in meta},
        "spec": {"replicas": replicas} if replicas else {},
        "status": shown,
    }


def _no_replicas(path: tuple[str, ...]) -> status.Refused:
    why = f'the spec replicas field ".{".".join(path)}" does not exist'
    message = f"Internal error occurred: {why}"
    return status.failure(
        HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", message, {"causes": [{"message": why}]}
    )


def _paths(resource: Resource) -> Paths:
    if resource.crd is None:
        return NATIVE_PATHS
    scale = (resource.crd_version.get("subresources") or {}).get("scale") or {}
    names = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
    spec, state, selector = (
        tuple(part for part in (scale.get(name) or "").split(".") if part) for name in names
    )
    return spec, state, selector


def _selector_text(selector: Any) -> str:
    """Give a selector as text; a path that points at a string is copied."""
    if not isinstance(selector, dict):
        return selector if isinstance(selector, str) else ""
    if "matchLabels" not in selector and "matchExpressions" not in selector:
        selector = {"matchLabels": selector}
    return str(selector_of(selector))


def _with(raw: Raw, path: tuple[str, ...], value: Any) -> Raw:
    """Give a copy of `raw` with a value at `path`; only what lies on the path is copied."""
    head, *rest = path
    inner = raw.get(head) or {}
    return raw | {head: _with(inner, tuple(rest), value) if rest else value}

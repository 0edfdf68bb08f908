"""The scale subresource: replicas of any workload in one shape (sandbox-apiserver.md B2)."""

from http import HTTPStatus
from typing import Any, Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.patching import CUSTOM_TYPES, read_patch
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.registry.resources import Resource
from kubectl_kruise.sandbox.schema.node import Node
from kubectl_kruise.sandbox.store import Stored

Paths = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
API_VERSION: Final = "autoscaling/v1"
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
    return _write(registry, call, lambda _: body.object)


def patch(registry: Registry, call: Call, body: bytes, media_type: str) -> Stored:
    """PATCH a Scale; the strategic kind is the same as merge here, where nothing is a list."""
    if media_type == PatchType.STRATEGIC:
        if call.resource.custom:
            raise status.unsupported_media(CUSTOM_TYPES)
        media_type = PatchType.MERGE
    edit = read_patch(body, media_type, None if call.resource.custom else Node())
    return _write(registry, call, edit)


def _write(registry: Registry, call: Call, produce: Any) -> Stored:
    resource = call.resource
    spec_path = _paths(resource)[0]
    shown: list[Raw] = []

    def scaled(parent: Raw) -> Raw:
        before = _scale_of(resource, parent)
        after = produce(before)
        shown.append(before)
        replicas = dig(after, ("spec", "replicas"), 0)
        if not isinstance(replicas, int) or isinstance(replicas, bool):
            raise _unfit(after, replicas)
        if replicas < 0 and not resource.custom:
            error = field_errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
            raise status.invalid("autoscaling", "Scale", call.name, [error])
        new = decode(call, registry.catalog.model(resource), Body(_with(parent, spec_path, replicas)))
        if version := dig(after, ("metadata", "resourceVersion")):
            new["metadata"]["resourceVersion"] = version
        return new

    return _shown(resource, registry.update(call, scaled))


def _unfit(scale: Raw, replicas: Any) -> status.Refused:
    """Refuse a number of replicas that is none; the message shows the Scale with its keys in order."""
    kind = json_kind(replicas)
    found = f"number {replicas}" if kind == "number" else kind
    why = f"json: cannot unmarshal {found} into Go struct field ScaleSpec.spec.replicas of type int32"
    shown = field_errors.compact(dict(sorted(scale.items())))
    return status.invalid("", "", "", [field_errors.invalid("patch", shown, why)])


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

"""Server-side apply at the registry: read, check, merge, and create or update (sandbox-apiserver.md F4 to F6)."""

from http import HTTPStatus
from typing import Any

import yaml

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.managed import conflicts, last_applied
from kubectl_kruise.sandbox.managed.applying import Applied, Conflicting, apply
from kubectl_kruise.sandbox.managed.checking import misfit
from kubectl_kruise.sandbox.managed.owners import APPLY, Owners, entries_of, held_owners
from kubectl_kruise.sandbox.managed.shape import DEDUCED, Shape
from kubectl_kruise.sandbox.managed.types import Types, Write
from kubectl_kruise.sandbox.registry import identity, tracking
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored
from kubectl_kruise.sandbox.yaml_text import Loader


def apply_patch(registry: Registry, call: Call, body: bytes) -> Stored:
    """Apply a configuration to the object of the call; a missing object is created, but not through a part of it."""
    config = read_configuration(body)
    held = registry.store.get(call.resource.key, call.namespace, call.name)
    if held is None and call.subresource:
        raise call.missing
    if held is None:
        return _created(registry, call, config)
    entries: list[Raw] = []

    def produce(shown: Raw) -> Raw:
        applied = configured(call, tracking.KindTypes(call.resource), shown, config, registry.now)
        entries.extend(entries_of(applied.owners))
        return _decoded(registry, call, applied.object)

    return registry.update(call, produce, lambda *_: entries)


def _created(registry: Registry, call: Call, config: Raw) -> Stored:
    empty = tracking.empty_object(call.resource)
    applied = configured(call, tracking.KindTypes(call.resource), empty, config, registry.now)
    if uid := dig(applied.object, ("metadata", "uid")):
        raise call.conflict(
            f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        )
    new = _decoded(registry, call, applied.object)
    new["metadata"].pop("resourceVersion", None)
    entries = entries_of(applied.owners)
    call.created = True
    return registry.create(call, Body(new), entries)


def _decoded(registry: Registry, call: Call, applied: Raw) -> Raw:
    meta = {key: value for key, value in applied.get("metadata", {}).items() if key != "managedFields"}
    raw = applied | {"metadata": meta}
    identity.check_name(call, raw)
    return decode(call, registry.catalog.model(call.resource), Body(raw))


def read_configuration(body: bytes) -> Raw:
    """Read the body of an apply, which is YAML or JSON; 400 where it is neither."""
    try:
        found = yaml.load(body, Loader=Loader)  # noqa: S506 - a safe loader without timestamps
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        why = f"yaml: {line}{getattr(error, 'problem', error)}"
        raise status.bad_request(f"error decoding YAML: {why}") from None
    if found is not None and not isinstance(found, dict):
        raise status.bad_request("error decoding YAML: the configuration is no object")
    return found or {}


def configured(call: Call, types: Types, live: Raw, config: Raw, now: str) -> Applied:
    """Lay a configuration over an object. Raises Refused: 400, 409 for conflicts, 500 where it does not fit the type."""
    write = tracking.write_of(call, APPLY, now)
    kind = str(config.get("kind") or "")
    group, _, version = str(config.get("apiVersion") or "").rpartition("/")
    if (config.get("apiVersion"), kind) != (live["apiVersion"], live["kind"]):
        raise status.bad_request(f"invalid object type: {group}/{version}, Kind={kind}")
    if dig(config, ("metadata", "managedFields")) is not None:
        raise status.bad_request("metadata.managedFields must be nil")
    shape = types.shape(write.api_version) or DEDUCED
    if problem := misfit(config, shape):
        meta = config.get("metadata") or {}
        named = f"{meta.get('namespace') or ''}/{meta.get('name') or ''}; {group}/{version}, Kind={kind}"
        raise status.server_fault(f"failed to create typed patch object ({named}): {problem}")
    return _applied(call, types, live, config, write, shape)


def _applied(call: Call, types: Types, live: Raw, config: Raw, write: Write, shape: Shape) -> Applied:
    owners, by_kubectl = held_owners(live), call.manager == last_applied.KUBECTL

    def attempt(*, force: bool) -> Applied:
        empty = tracking.empty_object(call.resource)
        return apply(owners, live, config, write, types, empty=empty, force=force)

    try:
        applied = attempt(force=call.force)
    except Conflicting as found:
        left = last_applied.beyond_note(found.conflicts, live, shape) if by_kubectl else found.conflicts
        if left:
            raise _refused(left) from None
        applied = attempt(force=True)
    if by_kubectl:
        return applied._replace(object=last_applied.with_note(applied.object, config))
    return applied


def _refused(found: Owners) -> status.Refused:
    details: dict[str, Any] = {"causes": conflicts.causes(found)}
    return status.failure(HTTPStatus.CONFLICT, "Conflict", conflicts.message(found), details)

"""Server-side apply at the registry: check, merge, and create or update (sandbox-apiserver.md F4 to F6)."""

from http import HTTPStatus
from typing import Any, NamedTuple

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.managed.apply import conflicts, last_applied
from kubectl_kruise.sandbox.managed.apply.applying import Applied, Conflicting, apply
from kubectl_kruise.sandbox.managed.apply.checking import misfit
from kubectl_kruise.sandbox.managed.owners import APPLY, Owners, entries_of, held_owners
from kubectl_kruise.sandbox.managed.shape import DEDUCED
from kubectl_kruise.sandbox.managed.types import Types, Write
from kubectl_kruise.sandbox.managed.versions import Unconvertible
from kubectl_kruise.sandbox.registry import identity, tracking
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.configuration import Configuration, read_configuration
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored


class Target(NamedTuple):
    """What a configuration is applied to: its types, the write that it is, and the object with nothing in it."""

    types: Types
    write: Write
    empty: Raw


def apply_patch(registry: Registry, call: Call, body: bytes) -> Stored:
    """Apply a configuration to the object of the call; a missing object is created, but not through a part of it."""
    config = read_configuration(body)
    call.applying = True
    write = tracking.write_of(call, APPLY, registry.now)
    target = Target(tracking.KindTypes(call.resource), write, tracking.empty_object(call.resource))
    if registry.store.get(call.resource.key, call.namespace, call.name) is None:
        if call.subresource:
            raise call.missing
        return _created(registry, call, config, target)
    entries: list[Raw] = []

    def produce(shown: Raw) -> Raw:
        applied = configured(call, target, shown, config)
        entries.extend(entries_of(applied.owners))
        return _decoded(registry, call, applied.object)

    return registry.update(call, produce, lambda *_: entries)


def _created(registry: Registry, call: Call, config: Configuration, target: Target) -> Stored:
    applied = configured(call, target, target.empty, config)
    if uid := dig(applied.object, ("metadata", "uid")):
        raise call.conflict(
            f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        )
    new = _decoded(registry, call, applied.object)
    new["metadata"].pop("resourceVersion", None)
    call.created = True
    return registry.create(call, Body(new), entries_of(applied.owners))


def _decoded(registry: Registry, call: Call, applied: Raw) -> Raw:
    meta = {key: value for key, value in (applied["metadata"] or {}).items() if key != "managedFields"}
    raw = applied | {"metadata": meta}
    identity.check_name(call, raw)
    return decode(call, registry.catalog.model(call.resource), Body(raw))


def configured(call: Call, target: Target, live: Raw, config: Configuration) -> Applied:
    """Lay a configuration over an object. Raises Refused: 400, 409 for conflicts, 500 where it does not fit the type."""
    if (config.api_version, config.kind) != (live["apiVersion"], live["kind"]):
        raise status.bad_request(f"invalid object type: {config.type}")
    if config.meta("managedFields") is not None:
        raise status.bad_request("metadata.managedFields must be nil")
    shape = target.types.shape(target.write.api_version) or DEDUCED
    if problem := misfit(config.object, shape):
        named = f"{config.text('namespace')}/{config.text('name')}; {config.type}"
        raise status.server_fault(f"failed to create typed patch object ({named}): {problem}")
    by_kubectl = call.manager == last_applied.KUBECTL
    try:
        applied = _attempt(target, live, config, force=call.force)
    except Conflicting as found:
        left = last_applied.beyond_note(found.conflicts, live, shape) if by_kubectl else found.conflicts
        if left:
            raise _refused(left) from None
        applied = _attempt(target, live, config, force=True)
    config.tell_repeated(call)
    if by_kubectl:
        return applied._replace(object=last_applied.with_note(applied.object, config.object))
    return applied


def _attempt(target: Target, live: Raw, config: Configuration, *, force: bool) -> Applied:
    types, write, empty = target
    try:
        return apply(held_owners(live), live, config.object, write, types, empty=empty, force=force)
    except Unconvertible as problem:
        raise status.server_fault(str(problem)) from None


def _refused(found: Owners) -> status.Refused:
    details: dict[str, Any] = {"causes": conflicts.causes(found)}
    return status.failure(HTTPStatus.CONFLICT, "Conflict", conflicts.message(found), details)

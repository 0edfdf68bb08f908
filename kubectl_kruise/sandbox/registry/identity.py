"""Who an object says it is, against the path it was sent to (sandbox-apiserver.md V1, M5, M9, M10)."""

import secrets
import uuid
from typing import Any, Final

from kubectl_kruise.facts.names import RANDOM_LETTERS
from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Body, Call
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog

LONGEST_BASE: Final = 58
SCHEME: Final = "pkg/api/legacyscheme/scheme.go:108"
OLD_VERSIONS: Final = {
    "ControllerRevision": ("apps/v1beta1", "apps/v1beta2"),
    "CronJob": ("batch/v1beta1",),
    "DaemonSet": ("apps/v1beta2", "extensions/v1beta1"),
    "Deployment": ("apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"),
    "Ingress": ("extensions/v1beta1", "networking.k8s.io/v1beta1"),
    "NetworkPolicy": ("extensions/v1beta1",),
    "PodDisruptionBudget": ("policy/v1beta1",),
    "ReplicaSet": ("apps/v1beta2", "extensions/v1beta1"),
    "StatefulSet": ("apps/v1beta1", "apps/v1beta2"),
}
"""Versions that are served no more and that a server still knows to be the same kind."""
TYPE_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
SERVER_FIELDS: Final = (
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "generation",
)


def check_type(call: Call, body: Body, catalog: Catalog) -> Raw:
    """Check apiVersion and kind of a body; natives may leave them out. Gives the object with both set."""
    resource, raw = call.resource, body.object
    kind, api_version = raw.get("kind") or "", raw.get("apiVersion") or ""
    if resource.custom:
        _check_custom(call, body, kind, api_version)
        return raw
    if (api_version or resource.api_version, kind or resource.kind) != _type_of(call):
        raise _other_type(call, api_version or resource.api_version, kind or resource.kind, catalog)
    if kind and api_version:
        return raw
    return {"kind": resource.kind, "apiVersion": resource.api_version} | {
        k: v for k, v in raw.items() if v != ""
    }


def check_name(call: Call, raw: Raw) -> None:
    """Check name and namespace of an update's body against the URL, and set the namespace."""
    meta = _metadata(call, raw)
    _check_namespace(call, meta)
    name = meta.get("name") or ""
    if not name:
        raise status.bad_request(
            f"the name of the object ({call.name} based on URL) was undeterminable: name must be provided"
        )
    if name != call.name:
        raise status.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.name})"
        )


def stamp_new(call: Call, raw: Raw, created: str) -> None:
    """Set what the server decides on create (M1, M5)."""
    meta = _metadata(call, raw)
    _check_namespace(call, meta)
    if meta.get("resourceVersion"):
        raise status.server_fault("resourceVersion should not be set on objects to be created")
    for name in (*SERVER_FIELDS, "resourceVersion"):
        meta.pop(name, None)
    meta["uid"] = str(uuid.uuid4())
    meta["creationTimestamp"] = created
    if call.resource.has_generation:
        meta["generation"] = 1
    if not meta.get("name"):
        base = meta.get("generateName")
        if not base:
            error = field_errors.required("metadata.name", "name or generateName is required")
            raise status.invalid(call.resource.group, call.resource.kind, "", [error])
        meta["name"] = random_name(base)


def random_name(base: str) -> str:
    """Give a name for `generateName`: the base and five characters (M5)."""
    return base[:LONGEST_BASE] + "".join(secrets.choice(RANDOM_LETTERS) for _ in range(5))


def _other_type(call: Call, api_version: str, kind: str, catalog: Catalog) -> status.Refused:
    """Refuse a native object of another type: one that is known but different, or one that nobody knows (V1)."""
    resource = call.resource
    version = api_version.rpartition("/")[2]
    known = any((found.api_version, found.kind) == (api_version, kind) for found in catalog.native)
    if kind == resource.kind and (known or api_version in OLD_VERSIONS.get(kind, ())):
        return _other_version(call, api_version)
    if known:
        problem = no_conversion(call, version, kind)
    else:
        problem = f'no kind "{kind}" is registered for version "{api_version}" in scheme "{SCHEME}"'
    return status.bad_request(
        f'{kind} in version "{version}" cannot be handled as a {resource.kind}: {problem}'
    )


def type_problem(found: Any) -> str:
    """Say why nobody can tell what an object is: it is none, or its kind or version is no text."""
    if not isinstance(found, dict):
        return f"json: cannot unmarshal {json_kind(found)} into Go value of type {TYPE_STRUCT}"
    wrong = [name for name in ("apiVersion", "kind") if not isinstance(found.get(name), str | None)]
    if not wrong:
        return ""
    return (
        f"json: cannot unmarshal {json_kind(found[wrong[0]])} into Go struct field .{wrong[0]} of type string"
    )


def no_conversion(call: Call, version: str, kind: str) -> str:
    """Say that an object of another known kind is none of this one."""
    internal = f"{_internal(call.resource.group)}.{call.resource.kind}"
    return f"converting ({version}.{kind}) to ({internal}): unknown conversion"


def _check_custom(call: Call, body: Body, kind: str, api_version: str) -> None:
    resource = call.resource
    if not kind:
        text = body.text.decode(errors="replace")
        raise status.bad_request(
            f"the object provided is unrecognized (must be of type {resource.kind}): "
            f"Object 'Kind' is missing in '{text}' ({summary_of(body.text)})"
        )
    if api_version != resource.api_version:
        raise _other_version(call, api_version)
    if kind != resource.kind:
        name = dig(body.object, ("metadata", "name"), "")
        error = field_errors.invalid("kind", kind, f"must be {resource.kind}")
        raise status.invalid(resource.group, kind, name, [error])


def _other_version(call: Call, api_version: str) -> status.Refused:
    return status.bad_request(
        f"the API version in the data ({api_version}) does not match "
        f"the expected API version ({call.resource.api_version})"
    )


def _check_namespace(call: Call, meta: Raw) -> None:
    if not call.resource.namespaced:
        meta.pop("namespace", None)
        return
    if meta.setdefault("namespace", call.namespace) != call.namespace:
        raise status.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def _metadata(call: Call, raw: Raw) -> Raw:
    meta = raw.setdefault("metadata", {})
    if not isinstance(meta, dict):
        raise call.cannot_handle(
            "json: cannot unmarshal into Go struct field .metadata of type v1.ObjectMeta"
        )
    return meta


def _type_of(call: Call) -> tuple[str, str]:
    return call.resource.api_version, call.resource.kind


def _internal(group: str) -> str:
    """Give the name of the internal package, which messages of conversions show."""
    return group.partition(".")[0] or "core"


def summary_of(body: bytes, limit: int = 30) -> str:
    """Show the start of a body as messages do: text where it looks like an object, hex digits otherwise."""
    if not body:
        return "<empty>"
    cut = body[:limit]
    shown = cut.decode(errors="replace") if body.startswith(b"{") else cut.hex()
    return shown + (" ..." if len(body) > limit else "")

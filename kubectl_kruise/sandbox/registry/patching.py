"""PATCH: a patch of some type, applied to the current object (sandbox-apiserver.md §9)."""

from http import HTTPStatus
from typing import Any, Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.notation.go_words import go_text
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.patches import (
    PatchError,
    json_patch,
    merge_patch,
    parse_patch,
    strategic_patch,
)
from kubectl_kruise.sandbox.registry import identity
from kubectl_kruise.sandbox.registry.call import Body, Call, decode
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.schema.model import TypeModel
from kubectl_kruise.sandbox.schema.node import Node
from kubectl_kruise.sandbox.store import Stored

CUSTOM_TYPES: Final = (
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)


def patch(registry: Registry, call: Call, body: bytes, media_type: str) -> Stored:
    """Apply a patch to the object, or to its status where the call is about that (P1, P2, P6, P7)."""
    if media_type == PatchType.APPLY:
        # Needs a YAML parser, which few sandboxes ever do.
        from kubectl_kruise.sandbox.registry.applying import apply_patch

        return apply_patch(registry, call, body)
    model = registry.catalog.model(call.resource)
    edit = read_patch(body, media_type, model.patch_schema)

    def produce(shown: Raw) -> Raw:
        return _read_result(call, model, edit, shown)

    return registry.update(call, produce)


class Edit:
    """A patch that was read and waits for its object."""

    def __init__(self, kind: PatchType, content: Any, schema: Node | None) -> None:
        self._kind, self._content, self._schema = kind, content, schema

    def shown(self, result: Any) -> str:
        """Give what a complaint about the result shows: the patch itself where it is a strategic one (P6)."""
        strategic = self._kind is PatchType.STRATEGIC
        return go_text(self._content) if strategic else field_errors.compact(result)

    def __call__(self, document: Raw) -> Any:
        """Give the patched document; Refused where the patch does not fit."""
        try:
            if self._kind is PatchType.JSON:
                return json_patch(document, self._content)
            if self._kind is PatchType.MERGE or self._schema is None:
                return merge_patch(document, self._content)
            return strategic_patch(document, self._content, self._schema)
        except PatchError as error:
            raise refused(error) from error


def read_patch(body: bytes, media_type: str, schema: Node | None) -> Edit:
    """Read the bytes of a patch; 415 for a type that the kind does not take."""
    try:
        kind = PatchType(media_type)
    except ValueError:
        raise (status.unsupported_media(CUSTOM_TYPES) if schema is None else _unsupported()) from None
    if kind is PatchType.STRATEGIC and schema is None:
        raise status.unsupported_media(CUSTOM_TYPES)
    try:
        return Edit(kind, parse_patch(body), schema)
    except PatchError as error:
        raise refused(error) from error


def refused(error: PatchError) -> status.Refused:
    return status.failure(error.code, error.reason, error.message, error.details)


def _read_result(call: Call, model: TypeModel, edit: Edit, shown: Raw) -> Raw:
    """Decode a patched object; what a PUT answers with 400 is 422 here (P6)."""
    result = edit(shown)
    if not isinstance(result, dict):
        raise _unreadable(edit, result, "json: cannot unmarshal into the object")
    for name in ("apiVersion", "kind"):
        missing = not call.resource.custom and result.get(name) is None
        if result.get(name) != shown[name] and not missing:
            raise _changed_type(call, edit, result, name, shown[name])
    identity.check_name(call, result)
    return decode(call, model, Body(result), lambda why: _unreadable(edit, result, why))


def _changed_type(call: Call, edit: Edit, result: Raw, name: str, held: str) -> status.Refused:
    sent = result.get(name) or ""
    if call.resource.custom:
        error = field_errors.invalid(name, sent, f"must be {held}")
        group = str(result.get("apiVersion") or "").rpartition("/")[0]
        return status.invalid(group, str(result.get("kind") or ""), call.name, [error])
    unknown = f'no kind "{result.get("kind")}" is registered for version "{result.get("apiVersion")}"'
    return _unreadable(edit, result, f'{unknown} in scheme "{identity.SCHEME}"')


def _unreadable(edit: Edit, result: Any, why: str) -> status.Refused:
    return status.invalid("", "", "", [field_errors.invalid("patch", edit.shown(result), why)])


def _unsupported() -> status.Refused:
    message = "415: Unsupported Media Type"
    return status.failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message, {})

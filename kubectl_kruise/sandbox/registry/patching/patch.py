"""PATCH: a patch of some type, applied to the current object (sandbox-apiserver.md §9)."""

from http import HTTPStatus
from typing import Final

from kubectl_kruise.cluster.port import PatchType
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.patches import PatchError
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.registry.patching.edits import Edit, refused
from kubectl_kruise.sandbox.registry.patching.results import read_result
from kubectl_kruise.sandbox.registry.registry import Registry
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
        return read_result(call, registry.catalog, edit, shown)

    return registry.update(call, produce)


def read_patch(body: bytes, media_type: str, schema: Node | None) -> Edit:
    """Read the bytes of a patch; 415 for a type that the kind does not take."""
    try:
        kind = PatchType(media_type)
    except ValueError:
        raise (status.unsupported_media(CUSTOM_TYPES) if schema is None else _unsupported()) from None
    if kind is PatchType.STRATEGIC and schema is None:
        raise status.unsupported_media(CUSTOM_TYPES)
    try:
        return Edit(kind, body, schema)
    except PatchError as error:
        raise refused(error) from error


def _unsupported() -> status.Refused:
    message = "415: Unsupported Media Type"
    return status.failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message, {})

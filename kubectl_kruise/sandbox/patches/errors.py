"""How patches are read and how they fail, in the API server's words (sandbox-apiserver.md §9)."""

from http import HTTPStatus
from typing import Any

from kubectl_kruise.objects.notation.field_errors import FieldError, causes, invalid
from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.notation.json_text import parse_json


class PatchError(Exception):
    """A patch that cannot be read or applied: HTTP code, reason ("" for none), message, causes.

    `details` tells what the Status carries: None for no details, else the object (with the causes in it).
    """

    def __init__(self, code: int, reason: str, message: str, *, details: Raw | None = None) -> None:
        super().__init__(message)
        self.code, self.reason, self.message, self.details = int(code), reason, message, details

    @property
    def causes(self) -> list[Raw]:
        return list((self.details or {}).get("causes", ()))


def parse_patch(body: bytes) -> Any:
    """Parse a JSON patch body. Raises PatchError 400 with the words of Go's decoder."""
    try:
        return parse_json(body)
    except ValueError as fault:
        raise unreadable(f"error decoding patch: {fault}") from None


def unreadable(why: str) -> PatchError:
    return PatchError(HTTPStatus.BAD_REQUEST, "BadRequest", why)


def undecodable(value: Any, wanted: str) -> PatchError:
    """Refuse a value that is not what Go's type `wanted` is read from."""
    why = f"json: cannot unmarshal {json_kind(value)} into Go value of type {wanted}"
    return unreadable(f"error decoding patch: {why}")


def rejected() -> PatchError:
    """Refuse a JSON patch one of whose operations fails; the server does not say which (P3)."""
    text = "the server rejected our request due to an error in our request"
    return PatchError(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", text, details={})


def unfit(shown: str, why: str) -> PatchError:
    """Refuse a patch whose result does not fit the type; `shown` is the patch or the result as text (P6)."""
    error: FieldError = invalid("patch", shown, why)
    message = f' "" is invalid: {error.text}'
    return PatchError(
        HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", message, details={"causes": causes([error])}
    )


def broken(why: str) -> PatchError:
    """Refuse a strategic patch whose directives contradict each other; the real server calls it its own fault."""
    return PatchError(HTTPStatus.INTERNAL_SERVER_ERROR, "", why)

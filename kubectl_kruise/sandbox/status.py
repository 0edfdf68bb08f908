"""Refusals in the API server's words (sandbox-apiserver.md §14)."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from kubectl_kruise.objects.notation.field_errors import FieldError, causes, summary
from kubectl_kruise.objects.raw import Raw

NOT_FOUND_TEXT = "the server could not find the requested resource"
PAGE_NOT_FOUND = b"404 page not found\n"
RETRY_TEXT = "the object has been modified; please apply your changes to the latest version and try again"


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a fault of the program
    """An answer other than success: a Status object with its HTTP code and headers."""

    def __init__(self, status: Raw, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status.get("message"))
        self.status = status
        self.headers: dict[str, str | list[str]] = dict(headers or {})

    @property
    def code(self) -> int:
        return int(self.status["code"])


class PageNotFound(Exception):  # noqa: N818
    """The path leads nowhere: 404 in plain text (E2)."""


def failure(code: int, reason: str, message: str, details: Raw | None = None) -> Refused:
    """Make the Status of a failure; no `reason` key where it is "" and no `details` where None (X1)."""
    status: Raw = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
    }
    if reason:
        status["reason"] = reason
    if details is not None:
        status["details"] = details
    status["code"] = int(code)
    return Refused(status)


def success(details: Raw | None = None, code: int = 0) -> Raw:
    """Make the Status of a success (X5)."""
    status: Raw = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    if details is not None:
        status["details"] = details
    if code:
        status["code"] = code
    return status


def qualified(group: str, word: str) -> str:
    """Give `deployments.apps`, or the plain word for the core group."""
    return f"{word}.{group}" if group else word


def details(group: str, kind: str, name: str) -> Raw:
    return {key: value for key, value in (("name", name), ("group", group), ("kind", kind)) if value}


def bad_request(message: str) -> Refused:
    return failure(HTTPStatus.BAD_REQUEST, "BadRequest", message)


def not_found(group: str, plural: str, name: str) -> Refused:
    message = f'{qualified(group, plural)} "{name}" not found'
    return failure(HTTPStatus.NOT_FOUND, "NotFound", message, details(group, plural, name))


def unknown_path() -> Refused:
    """Refuse a resource that a known native group-version does not have (E3)."""
    return failure(HTTPStatus.NOT_FOUND, "NotFound", NOT_FOUND_TEXT, {})


def method_not_allowed(
    message: str = "the server does not allow this method on the requested resource",
) -> Refused:
    return failure(HTTPStatus.METHOD_NOT_ALLOWED, "MethodNotAllowed", message, {})


def already_exists(
    group: str, plural: str, name: str, *, deleting: bool = False, with_base: bool = False
) -> Refused:
    """Refuse a taken name; `with_base` says that the object has a generateName, also beside a name (V3)."""
    message = f'{qualified(group, plural)} "{name}" already exists'
    found = details(group, plural, name)
    if with_base:
        message += ", the server was not able to generate a unique name for the object"
        found["retryAfterSeconds"] = 1
    if deleting:
        message = f"object is being deleted: {message}"
    refusal = failure(HTTPStatus.CONFLICT, "AlreadyExists", message, found)
    if with_base:
        refusal.headers["Retry-After"] = "1"
    return refusal


def conflict(group: str, kind: str, name: str, why: str = RETRY_TEXT) -> Refused:
    """Refuse a write that was based on something else; `kind` is the plural, or the Kind for preconditions."""
    message = f'Operation cannot be fulfilled on {qualified(group, kind)} "{name}": {why}'
    return failure(HTTPStatus.CONFLICT, "Conflict", message, details(group, kind, name))


def forbidden(group: str, plural: str, name: str, why: str) -> Refused:
    named = f'{qualified(group, plural)} "{name}"' if name else qualified(group, plural)
    return failure(
        HTTPStatus.FORBIDDEN, "Forbidden", f"{named} is forbidden: {why}", details(group, plural, name)
    )


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> Refused:
    """Refuse an object for what stands in its fields (X3)."""
    message = f'{qualified(group, kind)} "{name}" is invalid: {summary(errors)}'
    found = details(group, kind, name) | {"causes": causes(errors)}
    return failure(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", message, found)


def server_fault(message: str) -> Refused:
    """Refuse with 500 and no reason, where the real server does (V4, V6, B3)."""
    return failure(HTTPStatus.INTERNAL_SERVER_ERROR, "", message)


def unsupported_media(accepted: str) -> Refused:
    message = f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    return failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message)

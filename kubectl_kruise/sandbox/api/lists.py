"""Lists: which objects, of which moment, in pages (sandbox-apiserver.md §11)."""

import base64
import binascii
from http import HTTPStatus
from typing import Final, NamedTuple

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.query import Query, check_list, first, number, version_problem
from kubectl_kruise.sandbox.api.selection import Matches
from kubectl_kruise.sandbox.notation.json_text import parse_json
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.registry.registry import Registry
from kubectl_kruise.sandbox.store import Stored

TOO_OLD: Final = "The resourceVersion for the provided list is too old."
EXPIRED: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."
)


class Page(NamedTuple):
    """`version` is the moment, `items` what belongs on the page, `meta` the metadata of the list."""

    version: int
    items: list[Stored]
    meta: Raw


class _Token(NamedTuple):
    """Where the next page begins: after `key`, in the state of `version`; -1 stands for the current state."""

    version: int
    key: str

    def encode(self) -> str:
        text = orjson.dumps({"v": "meta.k8s.io/v1", "rv": self.version, "start": self.key})
        return base64.urlsafe_b64encode(text).decode().rstrip("=")


def list_page(
    registry: Registry, resource: Resource, namespace: str, query: Query, matches: Matches | None
) -> Page:
    """Read one page. Pages after the first show the moment of the first, read back from the log (L3)."""
    check_list(query, watching=False)
    store = registry.store
    wanted, match = first(query, "resourceVersion"), first(query, "resourceVersionMatch")
    if problem := version_problem(wanted):
        raise status.bad_request(f"invalid resource version: {problem}")
    limit = max(number(first(query, "limit") or "0"), 0)
    token = _read_token(first(query, "continue"))
    if token is not None and wanted not in ("", "0"):
        raise status.bad_request("specifying resource version is not allowed when using continue")
    version = store.version
    if token is not None:
        version = store.version if token.version < 0 else token.version
        if version < store.oldest:
            raise _expired(EXPIRED, _Token(-1, token.key).encode())
    elif wanted not in ("", "0"):
        version = _moment(registry, int(wanted), exact=match == "Exact" or (bool(limit) and not match))
    if wanted == "0":
        limit = 0
    items = [registry.view(resource, stored) for stored in store.items_at(resource.key, version, namespace)]
    if matches is not None:
        items = [stored for stored in items if matches(stored.object)]
    if token is not None:
        items = [stored for stored in items if stored.key > token.key]
    return _cut(resource, version, items, limit, selected=matches is not None)


def _cut(resource: Resource, version: int, items: list[Stored], limit: int, *, selected: bool) -> Page:
    meta: Raw = {"resourceVersion": str(version)}
    if resource.custom:
        meta["continue"] = ""
    if limit and len(items) > limit:
        meta["continue"] = _Token(version, items[limit - 1].key).encode()
        if not selected:
            meta["remainingItemCount"] = len(items) - limit
        items = items[:limit]
    return Page(version, items, meta)


def _moment(registry: Registry, wanted: int, *, exact: bool) -> int:
    store = registry.store
    if wanted > store.version:
        raise too_large(wanted, store.version)
    if not exact:
        return store.version
    if wanted < store.oldest:
        raise status.failure(HTTPStatus.GONE, "Expired", TOO_OLD)
    return wanted


def too_large(wanted: int, current: int) -> status.Refused:
    """Refuse a version from the future; nobody else writes, so waiting for it would not help (L4)."""
    refusal = status.failure(
        HTTPStatus.GATEWAY_TIMEOUT,
        "Timeout",
        f"Timeout: Too large resource version: {wanted}, current: {current}",
        {
            "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
            "retryAfterSeconds": 1,
        },
    )
    refusal.headers["Retry-After"] = "1"
    return refusal


def _read_token(text: str) -> _Token | None:
    if not text:
        return None
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        plain = b""
    if "=" in text or not plain:
        # Go's raw decoder names the first byte it cannot read: the padding, here.
        position = text.index("=") if "=" in text else 0
        raise _bad_token(f"continue key is not valid: illegal base64 data at input byte {position}")
    try:
        found = parse_json(plain)
    except ValueError as fault:
        raise _bad_token(f"continue key is not valid: {fault}") from None
    match found:
        case {"rv": int(version), "start": str(start)}:
            return _Token(version, start)
    raise _bad_token(
        "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
    )


def _bad_token(why: str) -> status.Refused:
    return status.bad_request(f"invalid continue token: {why}")


def _expired(message: str, token: str) -> status.Refused:
    refusal = status.failure(HTTPStatus.GONE, "Expired", message)
    refusal.status["metadata"] = {"continue": token}
    return refusal

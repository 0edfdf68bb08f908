"""Paths of the resource API, taken apart (sandbox-apiserver.md §3)."""

import re
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import unquote

from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.kinds.catalog import Catalog
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.schema.metadata import path_segment_name

_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")


class Route(NamedTuple):
    """Where a path leads: a collection, an object by `name`, or one of its subresources."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    old_watch: bool = False


def split_path(path: str) -> list[str]:
    """Take a path apart, unescaped. Raises PageNotFound for empty steps, Refused for escapes that are none.

    An empty namespace is none: so it is where programs put one together without looking.
    """
    if _ESCAPE.search(path):
        raise status.failure(HTTPStatus.BAD_REQUEST, "BadRequest", "400 Bad Request")
    segments = unquote(path).strip("/").split("/")
    if "" in segments and segments != [""]:
        segments = _without_empty_namespace(segments)
    return [] if segments == [""] else segments


def _without_empty_namespace(segments: list[str]) -> list[str]:
    place = segments.index("")
    rest = segments[: place - 1] + segments[place + 1 :]
    if segments[place - 1] != "namespaces" or "" in rest or not segments[place + 1 :]:
        raise status.unknown_path() if segments[0] == "api" else status.PageNotFound
    return rest


def find_route(catalog: Catalog, segments: list[str]) -> Route:
    """Find what a path `/api/v1/…` or `/apis/G/V/…` is about. Raises PageNotFound or Refused 404 (E1 to E3)."""
    group, version, rest = ("", segments[1], segments[2:]) if segments[0] == "api" else _group_path(segments)
    old_watch = rest[:1] == ["watch"]
    rest = rest[1:] if old_watch else rest
    native = catalog.is_native(group)
    namespace = ""
    if rest[:1] == ["namespaces"] and (len(rest) > 2 and (group or rest[2] not in ("status", "finalize"))):
        namespace, rest = rest[1], rest[2:]
    if not rest or not rest[0]:
        raise status.PageNotFound
    resource = catalog.find(group, version, rest[0])
    if resource is None:
        raise _nothing(native=native)
    name, subresource = rest[1] if len(rest) > 1 else "", "/".join(rest[2:])
    if problems := path_segment_name(name):
        raise status.bad_request(f'Name parameter invalid: "{name}": {", ".join(problems)}')
    scoped_right = bool(namespace) == resource.namespaced or (resource.namespaced and not name)
    if not scoped_right:
        raise _nothing(native=native)
    return Route(resource, namespace, name, subresource, old_watch)


def _group_path(segments: list[str]) -> tuple[str, str, list[str]]:
    if len(segments) < 4:
        raise status.PageNotFound
    return segments[1], segments[2], segments[3:]


def _nothing(*, native: bool) -> Exception:
    return status.unknown_path() if native else status.PageNotFound()

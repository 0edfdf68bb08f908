"""Paths that are no objects: health, version, OpenAPI, the hooks of tests (sandbox-apiserver.md §3, §5, S8, §22)."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.accept import require_json
from kubectl_kruise.sandbox.api.content.answers import Answer, json_answer, text_answer
from kubectl_kruise.sandbox.api.query import Query, first
from kubectl_kruise.sandbox.hooks import Hooks, parse_fault, parse_rule
from kubectl_kruise.sandbox.registry.registry import Registry

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.openapi import Documents

VERSION: Final = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.0+kruise-sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "",
}
HEALTH: Final = ("healthz", "livez", "readyz")
ROOTS: Final = ("/api", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version")


class FixedPaths:
    """Answers everything outside `/api/…` and `/apis/…`."""

    def __init__(self, registry: Registry, hooks: Hooks) -> None:
        self._registry, self._hooks = registry, hooks
        self.reset: Callable[[], None] = registry.store.clear

    def answer(
        self, method: str, path: list[str], query: Query, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        """Answer a request. Raises Refused and PageNotFound."""
        if path[:2] == ["sandbox", "v1"]:
            return self._hook(method, path[2:], body)
        if method != "GET":
            raise status.method_not_allowed() if path[:1] == ["version"] else status.PageNotFound
        match path:
            case []:
                groups = [
                    f"/apis/{g}/{v}"
                    for g, versions in self._registry.catalog.groups().items()
                    if g
                    for v in versions
                ]
                return json_answer({"paths": [*ROOTS, "/api/v1", *groups]})
            case ["version"]:
                require_json(headers.get("accept", ""))
                return json_answer(dict(VERSION))
            case [name] | [name, "ping"] if name in HEALTH:
                return text_answer(b"ok")
            case ["openapi", "v3"]:
                return json_answer(self._documents.index())
            case ["openapi", "v3", *rest]:
                return self._openapi("/".join(rest), first(query, "hash"), headers)
        raise status.PageNotFound

    @cached_property
    def _documents(self) -> "Documents":
        from kubectl_kruise.sandbox.openapi import Documents

        return Documents(self._registry.catalog)

    def _openapi(self, key: str, asked: str, headers: Mapping[str, str]) -> Answer:
        found = self._documents.document(key)
        if found is None:
            raise status.PageNotFound
        document, digest = found
        shared: dict[str, str | list[str]] = {"etag": f'"{digest}"', "vary": "Accept"}
        if asked:
            shared["cache-control"] = "public, immutable"
        if headers.get("if-none-match") == f'"{digest}"':
            return Answer(HTTPStatus.NOT_MODIFIED, b"", shared)
        return Answer(HTTPStatus.OK, document, {"content-type": "application/json", **shared})

    def _hook(self, method: str, path: list[str], body: bytes) -> Answer:
        """Set and show the hooks; each setting replaces the one before."""
        hooks = self._hooks
        match method, path:
            case "GET", ["config"]:
                return json_answer(hooks.config())
            case "GET", ["requests"]:
                return json_answer({"requests": [entry._asdict() for entry in hooks.requests]})
            case "PUT", ["faults"]:
                hooks.faults = [parse_fault(raw) for raw in _items(body)]
                return json_answer({"faults": [asdict(fault) for fault in hooks.faults]})
            case "PUT", ["deny"]:
                hooks.denied = [parse_rule(raw) for raw in _items(body)]
                return json_answer({"deny": [asdict(rule) for rule in hooks.denied]})
            case "POST", ["reset"]:
                self.reset()
                return json_answer({"resourceVersion": str(self._registry.store.version)})
            case "POST", ["compact"]:
                self._registry.store.forget_log()
                return json_answer({"resourceVersion": str(self._registry.store.version)})
        raise status.PageNotFound


def _items(body: bytes) -> list[Raw]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise status.bad_request(f"a list of rules is wanted: {error}") from None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise status.bad_request("a list of rules is wanted")
    return found

"""One request in, one answer out, without giving way in between (sandbox-apiserver.md S1, S2)."""

import logging
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Request
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api import fixed_paths, reviews
from kubectl_kruise.sandbox.api.content import accept
from kubectl_kruise.sandbox.api.content.accept import DISCOVERY, choose_discovery
from kubectl_kruise.sandbox.api.content.answers import Answer, Fate, refusal_answer, text_answer
from kubectl_kruise.sandbox.api.discovery import Discovery, Document
from kubectl_kruise.sandbox.api.query import Query, flag, parse_query
from kubectl_kruise.sandbox.api.resource_requests import ResourceRequest
from kubectl_kruise.sandbox.api.routes import Route, find_route, split_path
from kubectl_kruise.sandbox.hooks import Hooks, Logged, Subject, fate_of, verb_of
from kubectl_kruise.sandbox.registry.registry import Registry

LOG: Final = logging.getLogger("kubectl_kruise.sandbox")
WRITES: Final = ("POST", "PUT", "PATCH", "DELETE")
LONGEST_BODY: Final = 16 * 1024
"""Bytes of a body that the log of requests keeps."""
NO_CACHE: Final = "no-cache, private"


class Handler:
    """Answers requests on one registry."""

    def __init__(self, registry: Registry, hooks: Hooks | None = None, *, address: str = "127.0.0.1") -> None:
        self.registry = registry
        self.hooks = hooks or Hooks()
        self.discovery = Discovery(registry.catalog)
        self.address = address
        self.fixed = fixed_paths.FixedPaths(registry, self.hooks)

    @property
    def clock(self) -> Clock:
        return self.registry.clock

    def handle(self, request: Request) -> Answer:
        """Answer a request; header names are taken in any case. Never raises."""
        path, _, text = request.target.partition("?")
        query = parse_query(text)
        headers = {name.lower(): value for name, value in request.headers.items()}
        audit = str(uuid.uuid4())
        answer = self._answer(request.method, path, query, headers, request.body or b"", audit)
        answer.headers.setdefault("cache-control", NO_CACHE)
        answer.headers["audit-id"] = audit
        kept = (request.body or b"")[:LONGEST_BODY] if request.method in WRITES else b""
        body = kept.decode(errors="replace")
        self.hooks.requests.append(
            Logged(
                request.method,
                path,
                text,
                headers.get("user-agent", ""),
                answer.code,
                body,
                audit,
            )
        )
        return answer

    def _answer(
        self, method: str, path: str, query: Query, headers: Mapping[str, str], body: bytes, audit: str
    ) -> Answer:
        try:
            return self._routed(method, path, query, headers, body)
        except status.Refused as refusal:
            asked = headers.get("accept", "")
            return refusal_answer(refusal, yaml=asked.startswith(accept.YAML) and "," not in asked)
        except status.PageNotFound:
            return text_answer(status.PAGE_NOT_FOUND, HTTPStatus.NOT_FOUND)
        except Exception:
            # A bug must answer like a server and leave its trace where the operator looks (X2).
            LOG.exception("%s %s (audit id %s)", method, path, audit)
            message = f"Internal error occurred: the sandbox failed; its log names audit id {audit}"
            return refusal_answer(status.failure(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", message))

    def _routed(
        self, method: str, path: str, query: Query, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        segments = split_path(path)
        match segments:
            case ["api"] | ["apis"] | ["api", _] | ["apis", _] | ["apis", _, _]:
                return self._discovered(method, tuple(segments), headers)
            case ["api", _, *_] | ["apis", _, _, *_]:
                if (answer := reviews.answer(self.hooks, method, segments, headers, body)) is not None:
                    return answer
                return self._about_objects(method, segments, query, headers, body)
        return self.fixed.answer(method, segments, query, headers, body)

    def _about_objects(
        self, method: str, segments: list[str], query: Query, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        route = find_route(self.registry.catalog, segments)
        subject = _subject(method, route, query, headers)
        fault = self.hooks.take_fault(subject) if self.hooks.faults else None
        if fault is not None:
            if fault.drop == "before":
                return Answer(0, fate=Fate(fault.delay, drop=True))
            if fault.code:
                raise fault.refusal()
        if self.hooks.denied:
            self.hooks.check_rights(subject)
        answer = ResourceRequest(self.registry, method, route, query, headers, body).answer()
        if fault is not None:
            answer.fate = fate_of(fault)
            if fault.expire and answer.watch is not None:
                answer.watch.expire()
        return answer

    def _discovered(self, method: str, path: tuple[str, ...], headers: Mapping[str, str]) -> Answer:
        if method != "GET":
            raise status.method_not_allowed()
        form = choose_discovery(headers.get("accept", ""))
        if form.shape == DISCOVERY and len(path) == 1:
            content_type = f"application/json;g=apidiscovery.k8s.io;v={form.version};as={DISCOVERY}"
            return _tagged(self.discovery.aggregated(path[0], form.version), content_type, headers)
        document = self.discovery.legacy(path, self.address)
        if document is None:
            group = path[1] if path[0] == "apis" else ""
            if (len(path) == 2 and path[0] == "apis") or not self.registry.catalog.is_native(group):
                raise status.PageNotFound
            raise status.unknown_path()
        return Answer(HTTPStatus.OK, document.body, {"content-type": accept.JSON})


def _tagged(document: Document, content_type: str, headers: Mapping[str, str]) -> Answer:
    """Answer with a document that the client may hold already (D3)."""
    shared = {"etag": document.etag, "vary": "Accept", "cache-control": "public"}
    if headers.get("if-none-match") == document.etag:
        return Answer(HTTPStatus.NOT_MODIFIED, b"", dict(shared))
    return Answer(HTTPStatus.OK, document.body, {"content-type": content_type, **shared})


def _subject(method: str, route: Route, query: Query, headers: Mapping[str, str]) -> Subject:
    named = bool(route.name) and not route.old_watch
    watching = not named and (route.old_watch or flag(query, "watch"))
    return Subject(
        verb_of(method, named=named, watching=watching),
        route.resource.group,
        route.resource.plural,
        route.namespace,
        route.name,
        route.subresource,
        headers.get("user-agent", ""),
    )

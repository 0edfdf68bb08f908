"""The Cluster port over any transport: paths and dicts in, dicts and KruiseErrors out."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from kubectl_kruise import __version__
from kubectl_kruise.cluster.discovery import Discovery
from kubectl_kruise.cluster.http.answers import error_for, parse_status, parse_warnings
from kubectl_kruise.cluster.paths import parse_path
from kubectl_kruise.cluster.port import (
    Away,
    Change,
    DryRun,
    Keep,
    Patch,
    Request,
    Response,
    Stream,
    Transport,
)
from kubectl_kruise.cluster.watching import Watch
from kubectl_kruise.errors import ExpiredError, ServerError, UnknownTypeError
from kubectl_kruise.objects.raw import Raw, dig

JSON: Final = "application/json"
SAFE: Final = "/:@!$&'()*+,;=~"
ATTEMPTS: Final = 4
LONGEST_WAIT: Final = 10.0


class Client:
    """One API server as one user; implements `cluster.port.Cluster` and is safe for use by many threads.

    `on_warning` gets the text of each `Warning:` header, every text once. `cache` is the file that keeps what the
    server serves, None for memory only. `loads` reads JSON: who lives long and reads much may set a faster reader.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        namespace: str = "default",
        context: str = "",
        server: str = "",
        user_agent: str = f"kubectl-kruise/{__version__}",
        field_manager: str = "kubectl-kruise",
        on_warning: Callable[[str], None] | None = None,
        cache: Path | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.namespace = namespace
        self.context = context
        self.server = server
        self.discovery = Discovery(self.get, cache)
        self._transport = transport
        self._user_agent = user_agent
        self._field_manager = field_manager
        self._on_warning = on_warning
        self._warned: set[str] = set()
        self._pause = pause
        self.loads: Callable[[bytes], Any] = json.loads

    def get(self, path: str, *, query: Mapping[str, str] | None = None) -> Raw:
        return self._ask("GET", path, query or {})

    def list(
        self, path: str, *, labels: str = "", fields: str = "", chunk: int = 500, keep: Keep | None = None
    ) -> Raw:
        """Give the whole list, read in pages of `chunk` (0: in one go); items carry apiVersion and kind."""
        query = _selectors(labels, fields)
        try:
            listed = self._list_pages(path, query, chunk, keep)
        except ExpiredError:
            # The pages still to come are of a version that is gone by now; one answer needs no token.
            listed = self._list_pages(path, query, 0, keep)
        kind, version = str(listed.get("kind") or "").removesuffix("List"), listed.get("apiVersion")
        listed["items"] = [
            {"apiVersion": version, "kind": kind, **item} for item in listed.get("items") or []
        ]
        return listed

    def create(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        query = self._writing(dry_run)
        if dry_run is DryRun.SERVER:
            # Who only asks wants to hear of fields that the server does not know, not to have them dropped in silence.
            query["fieldValidation"] = "Strict"
        return self._ask("POST", path, query, body)

    def replace(self, path: str, body: Raw, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        return self._ask("PUT", path, self._writing(dry_run), body)

    def patch(self, path: str, patch: Patch, *, dry_run: DryRun = DryRun.NONE) -> Raw:
        return self._ask("PATCH", path, self._writing(dry_run), patch.body, content_type=patch.type.value)

    def delete(self, path: str, *, options: Raw | None = None, dry_run: DryRun = DryRun.NONE) -> Raw:
        # A server that finds options in the body of a deletion does not read the query: a dry run has to be there.
        body: Raw = {"apiVersion": "v1", "kind": "DeleteOptions", **(options or {})}
        if "dryRun" in self._writing(dry_run):
            body["dryRun"] = ["All"]
        return self._ask("DELETE", path, {}, body)

    def watch(
        self,
        path: str,
        since: str,
        *,
        labels: str = "",
        fields: str = "",
        timeout: float | None = None,
        follow: bool = True,
        away: Away | None = None,
    ) -> Iterator[Change]:
        query = {"watch": "true", "allowWatchBookmarks": "true", **_selectors(labels, fields)}

        def start(version: str, seconds: int | None) -> Stream:
            bound = {} if seconds is None else {"timeoutSeconds": str(seconds)}
            stream = self._transport.open(
                self._request("GET", path, {**query, "resourceVersion": version, **bound})
            )
            self._warn(stream.headers)
            return stream

        watch = Watch(start, path, since, away=away, loads=self.loads)
        return watch.follow(timeout) if follow else watch.once()

    def served(self, group: str, plural: str = "", *, fresh: bool = False) -> tuple[str, ...]:
        if fresh:
            self.discovery.forget(group)
        return self.discovery.served(group, plural)

    def close(self) -> None:
        """Close the connections that wait for another request."""
        self._transport.close()

    def _list_pages(self, path: str, query: Mapping[str, str], chunk: int, keep: Keep | None) -> Raw:
        limit = {"limit": str(chunk)} if chunk else {}
        listed = _kept(self._ask("GET", path, {**query, **limit}), keep)
        page = listed
        while token := dig(page, ("metadata", "continue")):
            page = _kept(self._ask("GET", path, {**query, **limit, "continue": token}), keep)
            listed["items"].extend(page.get("items") or [])
        meta = listed.setdefault("metadata", {})
        meta.pop("continue", None)
        meta.pop("remainingItemCount", None)
        return listed

    def _writing(self, dry_run: DryRun) -> dict[str, str]:
        if dry_run is DryRun.CLIENT:
            raise ValueError("a client-side dry run never reaches a cluster")
        query = {"fieldManager": self._field_manager}
        return {**query, "dryRun": "All"} if dry_run is DryRun.SERVER else query

    def _ask(
        self, method: str, path: str, query: Mapping[str, str], body: Any = None, *, content_type: str = JSON
    ) -> Raw:
        request = self._request(method, path, query, body, content_type)
        answer = self._send(request)
        self._warn(answer.headers)
        if answer.status >= 300:
            error = error_for(parse_status(answer.status, answer.body), method, path)
            if isinstance(error, UnknownTypeError):
                self.discovery.forget(parse_path(path).group)
            raise error
        try:
            parsed = self.loads(answer.body)
        except ValueError as error:
            raise ServerError(
                f"the answer of {self.server or 'the server'} is not JSON", cause=str(error)
            ) from error
        if not isinstance(parsed, dict):
            raise ServerError(f"the answer of {self.server or 'the server'} is not an object")
        return parsed

    def _send(self, request: Request) -> Response:
        """Send; a server that asks to come back later, and so has done nothing yet, is asked again."""
        for _ in range(ATTEMPTS - 1):
            answer = self._transport.send(request)
            wait = answer.headers.get("retry-after", "")
            if answer.status not in {429, 503} or not wait.isdecimal() or int(wait) > LONGEST_WAIT:
                return answer
            self._pause(float(wait))
        return self._transport.send(request)

    def _request(
        self, method: str, path: str, query: Mapping[str, str], body: Any = None, content_type: str = JSON
    ) -> Request:
        headers = {"Accept": JSON, "User-Agent": self._user_agent}
        # A name typed by a user may hold anything: it must neither end the path nor leave ASCII.
        target = quote(path, safe=SAFE) + (f"?{urlencode(query)}" if query else "")
        if body is None:
            return Request(method, target, headers)
        payload = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        return Request(method, target, {**headers, "Content-Type": content_type}, payload)

    def _warn(self, headers: Mapping[str, str]) -> None:
        if self._on_warning is None or not (header := headers.get("warning")):
            return
        for text in parse_warnings(header):
            if text not in self._warned:
                self._warned.add(text)
                self._on_warning(text)


def _kept(page: Raw, keep: Keep | None) -> Raw:
    if keep is not None:
        page["items"] = [keep(item) for item in page.get("items") or []]
    return page


def _selectors(labels: str, fields: str) -> dict[str, str]:
    return {name: value for name, value in (("labelSelector", labels), ("fieldSelector", fields)) if value}

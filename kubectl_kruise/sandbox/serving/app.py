"""The handler behind HTTP: who may ask, bodies in, answers and streams out (sandbox-apiserver.md §2, S7, S9, §12)."""

import asyncio
import gzip
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any, Final

from kubectl_kruise.cluster.port import Request
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.content.answers import Answer, refusal_answer
from kubectl_kruise.sandbox.api.content.bodies import LIMIT
from kubectl_kruise.sandbox.api.watches import Watch
from kubectl_kruise.sandbox.handler import Handler
from kubectl_kruise.sandbox.registry.kinds.catalog import CRDS
from kubectl_kruise.sandbox.store import Event

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

OPEN_PATHS: Final = ("/healthz", "/livez", "/readyz", "/version")
HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
GZIP_FROM: Final = 128 * 1024
BOOKMARK_SECONDS: Final = 60.0
CHUNK: Final = 512 * 1024
"""Bytes that a watch hands over at a time: a client that reads slowly holds no more than that."""
EVERYBODY: Final = 256
"""After so many changes a watch is brought up to date that none of them concerned; the log holds many more."""


class App:
    """An ASGI application. `token` "" lets everybody in, who can reach the port at all."""

    def __init__(self, handler: Handler, *, token: str = "") -> None:
        self._handler, self._token = handler, token
        self._wakes: dict[asyncio.Event, str] = {}
        self._stopping = False
        handler.registry.store.listen(self._changed)

    def stop(self) -> None:
        """End all watches cleanly."""
        self._stopping = True
        for wake in self._wakes:
            wake.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        answer = self._refusal(scope["path"], headers)
        if answer is None:
            body = await _read_body(receive)
            if body is None:
                return
            query = scope["query_string"].decode("latin-1")
            target = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")
            answer = self._handler.handle(Request(scope["method"], target, headers, body))
        if answer.fate.delay:
            await asyncio.sleep(answer.fate.delay)
        if answer.fate.drop:
            raise ConnectionAbortedError("a fault was injected")
        if answer.watch is not None:
            await self._stream(answer, answer.watch, receive, send)
        else:
            await _send_whole(answer, headers.get("accept-encoding", ""), send)

    def _refusal(self, path: str, headers: MutableMapping[str, str]) -> Answer | None:
        """Refuse what a web page could be made to send, and who has no token (S5, S7)."""
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        if host not in HOSTS or "origin" in headers:
            why = "requests of web pages and for other hosts are not answered"
            return refusal_answer(status.failure(HTTPStatus.FORBIDDEN, "Forbidden", why, {}))
        if not self._token or path in OPEN_PATHS:
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and secrets.compare_digest(token.strip().encode(), self._token.encode()):
            return None
        return refusal_answer(status.failure(HTTPStatus.UNAUTHORIZED, "Unauthorized", "Unauthorized"))

    def _changed(self, event: Event) -> None:
        """Wake the watches of the kind that changed; all of them at times, so that none falls behind the log."""
        resource = event.new.resource
        everybody = resource == CRDS or event.version % EVERYBODY == 0
        for wake, watched in self._wakes.items():
            if everybody or watched == resource:
                wake.set()

    async def _stream(self, answer: Answer, watch: Watch, receive: Receive, send: Send) -> None:
        """Push events as they come, until the client leaves, the time is over, or nothing more can come."""
        await send({"type": "http.response.start", "status": answer.code, "headers": _raw_headers(answer)})
        wake = asyncio.Event()
        self._wakes[wake] = watch.watched
        gone = asyncio.ensure_future(_disconnected(receive))
        gone.add_done_callback(lambda _: wake.set())
        try:
            await self._push(watch, wake, gone, send, answer.fate.cut_after)
        finally:
            self._wakes.pop(wake, None)
            gone.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _push(
        self, watch: Watch, wake: asyncio.Event, gone: "asyncio.Future[None]", send: Send, left: int | None
    ) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + watch.seconds
        next_bookmark = loop.time() + BOOKMARK_SECONDS
        while not gone.done():
            wake.clear()
            chunk = watch.pull(CHUNK)
            if left is not None and chunk:
                lines = chunk.splitlines(keepends=True)[:left]
                chunk, left = b"".join(lines), left - len(lines)
            if chunk:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            now = loop.time()
            if watch.ended or self._stopping or left == 0:
                return
            if watch.more and now < end:
                continue
            if now >= end or now >= next_bookmark:
                if line := watch.farewell():
                    await send({"type": "http.response.body", "body": line, "more_body": True})
                if now >= end:
                    return
                next_bookmark = now + BOOKMARK_SECONDS
            try:
                async with asyncio.timeout(min(end, next_bookmark) - now):
                    await wake.wait()
            except TimeoutError:
                continue


async def _read_body(receive: Receive) -> bytes | None:
    """Read a body, no further than to see that it is too long; None where the client left before its end."""
    parts: list[bytes] = []
    size = 0
    while size <= LIMIT:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        if part := message.get("body", b""):
            parts.append(part)
            size += len(part)
        if not message.get("more_body"):
            break
    return b"".join(parts)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_whole(answer: Answer, accepted: str, send: Send) -> None:
    body = answer.body
    if len(body) >= GZIP_FROM and "gzip" in accepted:
        body = gzip.compress(body, 1)
        answer.headers["content-encoding"] = "gzip"
    answer.headers["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": answer.code, "headers": _raw_headers(answer)})
    await send({"type": "http.response.body", "body": body})


def _raw_headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode("latin-1"), text.encode("utf-8"))
        for name, value in answer.headers.items()
        for text in ([value] if isinstance(value, str) else value)
    ]

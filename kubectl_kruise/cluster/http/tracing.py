"""Requests told on stderr with `-v 6` and above; nothing secret is shown at any level (cli.md §3.1)."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport

HEADERS_LEVEL: Final = 7
BODIES_LEVEL: Final = 8
MASK: Final = "--- MASKED ---"
SECRET_HEADERS: Final = frozenset({"authorization", "cookie", "set-cookie", "proxy-authorization"})
LONGEST_BODY: Final = 4096
_TOKENS = re.compile(r"((?:access_)?token=)[^&\s]+", re.IGNORECASE)


class TracingTransport:
    """Tells `out` of every request that goes through."""

    def __init__(self, inner: Transport, server: str, level: int, out: TextIO) -> None:
        self._inner, self._server, self._level, self._out = inner, server, level, out

    def send(self, request: Request) -> Response:
        started = time.monotonic()
        self._tell_request(request)
        answer = self._inner.send(request)
        self._tell_answer(request, answer.status, answer.headers, time.monotonic() - started)
        if self._level >= BODIES_LEVEL:
            self._print(f"response body: {show_body(answer.body)}")
        return answer

    def open(self, request: Request) -> Stream:
        started = time.monotonic()
        self._tell_request(request)
        stream = self._inner.open(request)
        self._tell_answer(request, stream.status, stream.headers, time.monotonic() - started)
        return _TracingStream(stream, self) if self._level >= BODIES_LEVEL else stream

    def close(self) -> None:
        self._inner.close()

    def tell_line(self, line: bytes) -> None:
        self._print(f"event: {show_body(line)}")

    def _tell_request(self, request: Request) -> None:
        if self._level >= HEADERS_LEVEL:
            self._print(f"{request.method} {self._address(request)}")
            self._tell_headers("request", request.headers)
        if self._level >= BODIES_LEVEL and request.body is not None:
            self._print(f"request body: {show_body(request.body)}")

    def _tell_answer(self, request: Request, status: int, headers: Mapping[str, str], seconds: float) -> None:
        self._print(f"{request.method} {self._address(request)} {status} in {seconds * 1000:.0f} ms")
        if self._level >= HEADERS_LEVEL:
            self._tell_headers("response", headers)

    def _tell_headers(self, side: str, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            self._print(f"  {side} header {name}: {MASK if name.lower() in SECRET_HEADERS else value}")

    def _address(self, request: Request) -> str:
        return _TOKENS.sub(rf"\1{MASK}", f"{self._server}{request.target}")

    def _print(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class _TracingStream:
    def __init__(self, inner: Stream, tracer: TracingTransport) -> None:
        self.status, self.headers = inner.status, inner.headers
        self._inner, self._tracer = inner, tracer

    def lines(self) -> Iterator[bytes]:
        for line in self._inner.lines():
            self._tracer.tell_line(line)
            yield line

    def close(self) -> None:
        self._inner.close()


def show_body(body: bytes) -> str:
    """Give a body as text for the log: data of Secrets and tokens masked, cut after `LONGEST_BODY` characters."""
    try:
        text = json.dumps(_masked(json.loads(body)), ensure_ascii=False)
    except ValueError:
        text = body.decode("utf-8", "replace")
    return text if len(text) <= LONGEST_BODY else f"{text[:LONGEST_BODY]} … ({len(text)} characters)"


def _masked(value: Any, *, secret: bool = False) -> Any:
    if isinstance(value, list):
        return [_masked(item, secret=secret) for item in value]
    if not isinstance(value, dict):
        return value
    # The items of a SecretList carry no kind of their own.
    secret = secret or value.get("kind") in ("Secret", "SecretList")
    masked = {}
    for key, inner in value.items():
        if (secret and key in ("data", "stringData", "annotations") and inner) or key == "token":
            masked[key] = MASK
        else:
            masked[key] = _masked(inner, secret=secret)
    return masked

"""A proxy on the loopback that ends the process behind it at a chosen request, before or after the server has it."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from kubectl_kruise.cluster.port import Request, Response, Transport

HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}
FORWARDED = ("accept", "content-type", "user-agent")


class Point(NamedTuple):
    """The request at which a process ends: the `number`-th of all, or of those that write."""

    number: int
    writes: bool = True
    after: bool = False

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} {'write' if self.writes else 'request'} {self.number}"


class Proxy:
    """Passes requests on through `transport`; `done` is called after each, before its answer goes back."""

    def __init__(self, transport: Transport, done: Callable[[], None] = lambda: None) -> None:
        self.transport, self.done = transport, done
        self.lock = threading.Lock()
        self.log: list[str] = []
        self._point: Point | None = None
        self._victim: Callable[[], int] = lambda: 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def arm(self, point: Point | None, victim: Callable[[], int] = lambda: 0) -> None:
        """Begin to count anew; at `point` the process that `victim` names ends."""
        with self.lock:
            self._point, self._victim, self.log = point, victim, []

    def due(self, *, after: bool) -> bool:
        """End the process if the request noted last is the one, and say so."""
        point = self._point
        counted = [line for line in self.log if line.startswith("W ")] if point and point.writes else self.log
        if point is None or after is not point.after or len(counted) != point.number:
            return False
        if point.writes and not self.log[-1].startswith("W "):
            return False
        self._point = None
        os.kill(self._victim(), signal.SIGKILL)
        return True

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.transport.close()


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else None
            headers = {name.title(): self.headers[name] for name in FORWARDED if self.headers.get(name)}
            request = Request(self.command, self.path, headers, body)
            if "watch=true" in self.path:
                self._stream(request)
                return
            writes = self.command != "GET" and "dryRun" not in self.path and "selfsubject" not in self.path
            with proxy.lock:
                proxy.log.append(f"{'W' if writes else 'r'} {self.command} {self.path.split('?')[0]}")
                if proxy.due(after=False):
                    self.close_connection = True
                    return
                answer = proxy.transport.send(request)
                proxy.done()
                if proxy.due(after=True):
                    self.close_connection = True
                    return
            with suppress(BrokenPipeError):  # a client that has died meanwhile needs no answer
                self._pass_on(answer)

        def _pass_on(self, answer: Response) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name not in HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve  # noqa: N815

        def _stream(self, request: Request) -> None:
            with proxy.lock:
                proxy.log.append(f"r WATCH {self.path.split('?')[0]}")
                if proxy.due(after=False):
                    self.close_connection = True
                    return
            stream = proxy.transport.open(request)
            self.send_response(stream.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for line in stream.lines():
                    self.wfile.write(line + b"\n")
                    self.wfile.flush()
            except OSError:
                stream.close()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    return Handler

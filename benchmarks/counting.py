"""A proxy that counts requests: what a client asks of a server, whichever the client and whichever the server.

It stands in front of `kubectl proxy`, which knows how to log in.
"""

import http.client
import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.stage import Stage

_HOP = {"connection", "host", "keep-alive", "transfer-encoding"}


class Counter:
    """`requests` is what came since the last `take`: method and path with query."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    def take(self) -> list[str]:
        taken, self.requests = self.requests, []
        return taken


@contextmanager
def counted(stage: Stage, namespace: str) -> Iterator[tuple[Counter, Stage]]:
    """Give a stage on the same server whose requests are counted."""
    upstream = subprocess.Popen(
        ["kubectl", "proxy", "--port=0"], env=stage.environment, stdout=subprocess.PIPE, text=True
    )
    counter = Counter()
    try:
        assert upstream.stdout is not None
        port = int(upstream.stdout.readline().rpartition(":")[2])
        handler = type("Handler", (_Handler,), {"counter": counter, "port": port})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,)).start()
            try:
                yield counter, _through(stage, server.server_port, namespace)
            finally:
                server.shutdown()
    finally:
        upstream.terminate()
        upstream.wait()
        if upstream.stdout:
            upstream.stdout.close()


class _Handler(BaseHTTPRequestHandler):
    """Hands requests on and answers as they come, watches line by line."""

    protocol_version = "HTTP/1.1"
    counter: Counter
    port: int

    def _forward(self) -> None:
        self.counter.requests.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        with suppress(BrokenPipeError, ConnectionResetError):  # a client that is done hangs up on its watches
            connection.request(self.command, self.path, body or None, headers)
            self._answer(connection.getresponse())
        connection.close()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _forward  # noqa: N815

    def _answer(self, answer: http.client.HTTPResponse) -> None:
        whole = None if answer.chunked else answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {*_HOP, "date", "server", "content-length"}:
                self.send_header(name, value)
        if whole is not None:
            self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while part := answer.read1(65536):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _through(stage: Stage, port: int, namespace: str) -> Stage:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "counted", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "contexts": [{"name": "counted", "context": {"cluster": "counted", "namespace": namespace}}],
        "current-context": "counted",
    }
    path = stage.folder / "counted"
    path.write_text(json.dumps(config), "utf-8")
    return Stage(stage.environment | {"KUBECONFIG": str(path)}, stage.folder)

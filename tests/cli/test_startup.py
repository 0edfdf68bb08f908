"""What a route may import: exact, where a stopwatch would be flaky."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kubectl_kruise.cli.app import run
from kubectl_kruise.errors import KruiseError

PROBE = """
import json, sys
from kubectl_kruise.__main__ import main
code = main(sys.argv[1:])
print("\\n" + json.dumps([code, *sorted(sys.modules)]), file=sys.stderr)
"""
HEAVY = {
    "rich", "kubernetes", "urllib3", "deepdiff", "jsonpatch", "asyncio", "uvicorn", "pydantic", "cryptography",
    "markdown_it", "pygments", "multiprocessing", "logging", "kubectl_kruise.sandbox",
}  # fmt: skip
NO_CONNECTION = HEAVY | {"yaml", "http.client", "ssl", "kubectl_kruise.cluster.client"}
NO_TYPER = NO_CONNECTION | {"typer", "inspect", "dataclasses"}
"""The import of typer alone takes five times what bare Python takes."""


def modules(args: list[str], code: int | None = None) -> set[str]:
    """Run a command line and give what it has imported; `code` is how it has to end."""
    done = subprocess.run([sys.executable, "-c", PROBE, *args], capture_output=True, text=True, check=True)
    ended, *loaded = json.loads(done.stderr.splitlines()[-1])
    assert code in {None, ended}, done.stderr
    return set(loaded)


@pytest.mark.parametrize(
    "args",
    [
        ["--version"],
        ["--help"],
        ["rollout"],
        ["rollout", "pausr"],
        ["__complete", "p"],
        ["__complete", "get", "--"],
    ],
    ids=" ".join,
)
def test_what_the_catalog_answers_never_loads_typer(args: list[str]) -> None:
    assert not NO_TYPER & modules(args)


@pytest.mark.parametrize(
    "args",
    [["rollout", "pause", "--help"], ["scale", "--replicas", "-1", "cs/web"], ["help", "exit-codes"], ["options"],
     ["completion", "bash"], ["version"]],
    ids=" ".join,
)  # fmt: skip
def test_what_needs_no_cluster_loads_no_connection(args: list[str]) -> None:
    assert not NO_CONNECTION & modules(args)


class Answers(BaseHTTPRequestHandler):
    """An API server that knows one CloneSet and takes every patch."""

    def do_GET(self) -> None:
        one = self.path.partition("?")[0].endswith("/web")
        self._send(CLONESET if one else {**SERVED, "metadata": {"resourceVersion": "1"}, "items": []})

    def do_PATCH(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._send(CLONESET)

    def log_message(self, *args: object) -> None:
        pass

    def _send(self, body: object) -> None:
        payload = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


SERVED = {
    "versions": [{"version": "v1alpha1"}, {"version": "v1"}],
    "resources": [{"name": "clonesets"}, {"name": "controllerrevisions"}],
}
CLONESET = {
    "apiVersion": "apps.kruise.io/v1alpha1",
    "kind": "CloneSet",
    "metadata": {"name": "web", "namespace": "shop", "uid": "1", "resourceVersion": "1", "generation": 1},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "updateStrategy": {"type": "InPlaceIfPossible", "paused": False},
        "template": {"spec": {"containers": [{"name": "app", "image": "web:1"}]}},
    },
    "status": {"observedGeneration": 1, "replicas": 0},
}


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "args",
    [["rollout", "pause", "cloneset/web"], ["set", "image", "cloneset/web", "app=web:2"], ["scale", "cs/web", "--replicas=2"]],
    ids=" ".join,
)  # fmt: skip
def test_a_write_loads_nothing_heavy(server: str, args: list[str]) -> None:
    assert not HEAVY & modules([*args, "--server", server, "-n", "shop"], code=0)


@pytest.mark.parametrize(
    "args",
    [
        ["get", "cloneset"],
        ["rollout", "status", "cloneset/web", "--watch=false"],
        ["rollout", "history", "cs/web"],
    ],
    ids=" ".join,
)
def test_a_read_loads_nothing_heavy(server: str, args: list[str]) -> None:
    assert not (HEAVY | {"yaml", "decimal", "dataclasses"}) & modules(
        [*args, "--server", server, "-n", "shop"], code=0
    )


@pytest.mark.parametrize("line", ["get cs/web", "scale cs/web --replicas=2 --current-replicas=9"])
def test_neither_success_nor_failure_leaves_a_connection_open(
    server: str, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    dialled: list[socket.socket] = []
    dial = socket.create_connection

    def remember(address: tuple[str, int], seconds: float | None = None) -> socket.socket:
        dialled.append(dial(address, seconds))
        return dialled[-1]

    monkeypatch.setattr(socket, "create_connection", remember)
    with pytest.raises(KruiseError) if "9" in line else nullcontext():
        run([*line.split(), "--server", server, "-n", "shop"])

    assert {sock.fileno() for sock in dialled} == {-1}

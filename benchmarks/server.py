"""The sandbox's server over plain HTTP, one process on one core, the client beside it.

`start` is the whole `sandbox start`: server with CRDs and webhooks, and the second process with nodes and controllers,
until both are ready. Memory is resident, right after that. GET and PATCH are of one CloneSet with its schema, defaults
and webhooks, and of one pod. `events` are ConfigMaps put into the store of a server while three watches listen: until
all three have seen the last of them; none may be missing.

Goals: start 0.8 s, server up to 80 MiB, 2,500 GET/s, 800 PATCH/s, 10,000 events in 1.5 s.
"""

import argparse
import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from benchmarks.rollout import NAME, Rollout
from benchmarks.sockets import CONNECTIONS, rate, request_bytes
from benchmarks.stage import Stage, sandbox
from benchmarks.tables import table as lay_out
from kubectl_kruise.facts.kinds import CLONESET, POD
from kubectl_kruise.sandbox.state import State

SECONDS: Final = 3.0
EVENTS: Final = 10_000
WATCHES: Final = 3
CONFIG: Final = "/api/v1/namespaces/default/configmaps"
MERGE: Final = "application/merge-patch+json"


def table(_chosen: argparse.Namespace) -> str:
    begun = time.perf_counter()
    with sandbox("--plain-http") as stage:
        rows = [["start", f"{time.perf_counter() - begun:.2f} s"]]
        rows += [[f"memory of the {part}", f"{size:.0f} MiB"] for part, size in memory(stage).items()]
    with sandbox("--plain-http", "--kruise", "crds", "--nodes", "0") as stage, stage.client() as client:
        Rollout(client, 1)
        url = urlsplit(client.server)
        address = (str(url.hostname), int(url.port or 80))
        cloneset, pod = CLONESET.path("default", NAME), POD.path("default", f"{NAME}-00000")
        for name, path in (("CloneSet", cloneset), ("pod", pod)):
            rows.append([f"GET a {name}", f"{rate(address, _gets(path), SECONDS):,.0f}/s"])
        for name, path in (("CloneSet", cloneset), ("pod", pod)):
            rows.append([f"PATCH a {name}", f"{rate(address, _patches(path), SECONDS):,.0f}/s"])
    rows.append([f"{EVENTS:,} events to {WATCHES} watches", f"{_events():.1f} s"])
    return lay_out("The sandbox's server", ("what", "figure"), rows)


def memory(stage: Stage) -> dict[str, float]:
    """Give the resident memory of the sandbox's processes in MiB."""
    record = State(Path(stage.environment["XDG_STATE_HOME"], "kubectl-kruise", "sandbox")).read_record()
    assert record is not None
    return {part: _resident(process.pid) for part, process in record.processes.items()}


def _resident(pid: int) -> float:
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout) / 1024


def _gets(path: str) -> list[Callable[[int], bytes]]:
    request = request_bytes("GET", path)
    return [lambda _: request] * CONNECTIONS


def _patches(path: str) -> list[Callable[[int], bytes]]:
    """Every connection writes an annotation of its own."""
    return [partial(_patch, path, f"c{at}") for at in range(CONNECTIONS)]


def _patch(path: str, name: str, number: int) -> bytes:
    body = b'{"metadata":{"annotations":{"%s":"%d"}}}' % (name.encode(), number)
    return request_bytes("PATCH", path, body, MERGE)


def _events() -> float:
    command = [sys.executable, "-m", "benchmarks.feeder", str(EVENTS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as feeder:
        assert feeder.stdin is not None
        assert feeder.stdout is not None
        try:
            address = ("127.0.0.1", int(feeder.stdout.readline()))
            watches = [_Watch(address) for _ in range(WATCHES)]
            begun = time.perf_counter()
            feeder.stdin.write("go\n")
            feeder.stdin.flush()
            for watch in watches:
                watch.start()
            for watch in watches:
                watch.join()
            return time.perf_counter() - begun
        finally:
            feeder.terminate()


class _Watch(threading.Thread):
    """Counts events until all have come."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__()
        self._connection = http.client.HTTPConnection(*address, timeout=60)
        self._connection.request("GET", f"{CONFIG}?watch=true")
        self._answer = self._connection.getresponse()

    def run(self) -> None:
        seen = 0
        while seen < EVENTS and self._answer.readline():
            seen += 1
        self._connection.close()
        if seen < EVENTS:
            raise RuntimeError(f"a watch has seen {seen} of {EVENTS} events")

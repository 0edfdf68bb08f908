"""The sandbox's second process, a client like any other: nodes, kubelets and controllers.

`python -m kubectl_kruise.sandbox.work KUBECONFIG …`
"""

import argparse
import dataclasses
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Final

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.controllers.loop import Controller, Runner
from kubectl_kruise.sandbox import simulation
from kubectl_kruise.sandbox.simulation import DEFAULT, Profile

PARALLEL: Final = 8
GUARD_SECONDS: Final = 1.0


def profile_of(nodes: int, start: float, restart: float, stop: float) -> Profile:
    """Give the world of a sandbox with so many nodes and these delays in seconds."""
    return dataclasses.replace(
        DEFAULT,
        nodes=tuple(f"sandbox-node-{number}" for number in range(nodes)),
        start_delay=start,
        restart_delay=restart,
        stop_delay=stop,
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="sandbox-work")
    parser.add_argument("kubeconfig")
    parser.add_argument("--kruise", choices=("none", "crds", "controllers"), default="controllers")
    parser.add_argument("--nodes", type=int, default=len(DEFAULT.nodes))
    parser.add_argument("--start-delay", type=float, default=DEFAULT.start_delay)
    parser.add_argument("--restart-delay", type=float, default=DEFAULT.restart_delay)
    parser.add_argument("--stop-delay", type=float, default=DEFAULT.stop_delay)
    parser.add_argument("--server-pid", type=int, default=0)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())

    def client(name: str) -> Client:
        return connect(ConnectionFlags(kubeconfig=chosen.kubeconfig), name=name)

    clock = SystemClock()
    profile = profile_of(chosen.nodes, chosen.start_delay, chosen.restart_delay, chosen.stop_delay)
    controllers: list[Controller] = simulation.build(client("kruise-sandbox"), clock, profile)
    if chosen.kruise == "controllers":
        controllers += cloneset.build(client("kruise-manager"), clock, parallel=PARALLEL)
    runner = Runner(controllers)
    runner.start()
    _wait(stopping, [chosen.server_pid] if chosen.server_pid else [])
    runner.stop()
    return 0


def _wait(stopping: threading.Event, pids: Iterable[int]) -> None:
    """Wait for a signal, or for the end of the server that this process belongs to."""
    while not stopping.wait(GUARD_SECONDS):
        for pid in pids:
            try:
                os.kill(pid, 0)
            except OSError:
                logging.getLogger("kubectl_kruise.sandbox").warning("the server is gone")
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

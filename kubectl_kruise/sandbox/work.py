"""The sandbox's second process, a client like any other: nodes, kubelets and controllers.

`python -m kubectl_kruise.sandbox.work STATE SETTINGS PID`
"""

import dataclasses
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Final

import orjson

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers import cloneset, statefulset
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Controller, Runner
from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.facts.kinds import CLONESET, POD, STATEFULSET
from kubectl_kruise.sandbox import simulation
from kubectl_kruise.sandbox.office import Office
from kubectl_kruise.sandbox.simulation import DEFAULT, Profile
from kubectl_kruise.sandbox.state import Settings, State

PARALLEL: Final = 8
GUARD_SECONDS: Final = 1.0
PAUSE: Final = 0.01


def profile_of(settings: Settings) -> Profile:
    """Give the world that a sandbox of these settings simulates."""
    return dataclasses.replace(
        DEFAULT,
        nodes=tuple(f"sandbox-node-{number}" for number in range(settings.nodes)),
        start_delay=settings.start_delay,
        restart_delay=settings.restart_delay,
        stop_delay=settings.stop_delay,
        node_daemon=resolve_gates(settings.gates).node_daemon,
    )


def main(arguments: list[str]) -> int:
    """Work until a signal comes or the server is gone; the arguments are state folder, settings as JSON, the server's pid."""
    state, settings = State(Path(arguments[0])), Settings(**json.loads(arguments[1]))
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())

    if not _found(state.kubeconfig, stopping, int(arguments[2])):
        return 1

    def client(name: str) -> Client:
        made = connect(ConnectionFlags(kubeconfig=str(state.kubeconfig)), name=name)
        made.loads = orjson.loads
        return made

    clock = SystemClock()
    simulator = client("kruise-sandbox")
    pods = Informer(simulator, POD.path())
    controllers: list[Controller] = simulation.build(
        simulator, clock, profile_of(settings), kruise=settings.kruise != "none", pods=pods
    )
    if settings.kruise == "controllers":
        gates = resolve_gates(settings.gates)
        manager = client("kruise-manager")
        office = Office(manager, clock)
        office.take()  # before there are nodes, and so before the sandbox counts as started
        controllers.append(office)
        version = served_version(manager, CLONESET, fresh=True)  # the server before may have had others
        controllers += cloneset.build(
            manager,
            clock,
            version=version,
            gates=gates,
            parallel=PARALLEL,
            recreations=True,
            budgets=True,
            pods=pods,
        )
        controllers.append(
            statefulset.build(
                manager,
                clock,
                version=served_version(manager, STATEFULSET, fresh=True),
                gates=gates,
                parallel=PARALLEL,
                pods=pods,
            )
        )
    runner = Runner(controllers)
    runner.start()
    _wait(stopping, int(arguments[2]))
    runner.stop()
    return 0


def _found(kubeconfig: Path, stopping: threading.Event, server: int) -> bool:
    """Wait until the server, which starts beside this process, says how to reach it; it answers from then on."""
    while not kubeconfig.exists():
        if stopping.wait(PAUSE) or not _runs(server):
            return False
    return True


def _wait(stopping: threading.Event, server: int) -> None:
    """Wait for a signal, or for the end of the server that this process belongs to."""
    while not stopping.wait(GUARD_SECONDS):
        if not _runs(server):
            logging.getLogger("kubectl_kruise.sandbox").warning("the server is gone")
            return


def _runs(server: int) -> bool:
    try:
        os.kill(server, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

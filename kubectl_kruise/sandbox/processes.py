"""Starting, watching and ending the sandbox's processes (sandbox-apiserver.md S5, S6, S9)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.errors import KruiseError, RefusedError, ServerError, TimedOutError
from kubectl_kruise.facts.kinds import NODE
from kubectl_kruise.sandbox.state import Process, Record, Settings, State

SERVER: Final = "server"
WORK: Final = "controllers"
NEEDED: Final = ("uvicorn", "httptools", "cryptography", "orjson")
"""What the extra `sandbox` brings."""

PATIENCE: Final = 20.0
GRACE: Final = 3.0
PAUSE: Final = 0.02
LOG_LINES: Final = 3


class Health(NamedTuple):
    """`dead` names the parts that should run and do not; without a record nothing was started."""

    record: Record | None
    dead: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        return self.record is not None and not self.dead


def look(state: State) -> Health:
    """Say what of the sandbox runs."""
    record = state.read_record()
    if record is None:
        return Health(None)
    return Health(record, tuple(part for part, process in record.processes.items() if not alive(process)))


def start(state: State, settings: Settings) -> Record:
    """Start both processes and wait until the cluster is ready.

    Raises RefusedError where a sandbox runs already, ServerError where one of the processes ends, TimedOutError.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise RefusedError(
            f"the sandbox needs Python packages that are not installed: {', '.join(missing)}",
            hint='pip install "kubectl-kruise[sandbox]"',
        )
    health = look(state)
    if health.running and health.record:
        raise RefusedError(
            f"a sandbox runs already at {health.record.server}", hint="kubectl kruise sandbox stop"
        )
    stop(state)
    state.create()
    processes: dict[str, Process] = {}
    try:
        record = _start_parts(state, settings, processes)
    except BaseException:
        end(processes.values())
        state.forget()
        raise
    state.write_record(record)
    return record


def stop(state: State) -> bool:
    """End whatever runs; say whether anything was there."""
    record = state.read_record()
    if record is None:
        return False
    end(record.processes.values())
    state.forget()
    return True


def reset(state: State, record: Record) -> None:
    """Have the server forget everything, and start the other part anew: it makes the nodes."""
    end(process for part, process in record.processes.items() if part != SERVER)
    with client_of(state.kubeconfig) as client:
        client.create("/sandbox/v1/reset", {})
    processes = {SERVER: record.processes[SERVER]}
    processes[WORK] = _spawn_work(state, record.settings, processes)
    _wait_for_nodes(state, record.settings, processes)
    state.write_record(Record(record.server, record.settings, processes))


def alive(process: Process) -> bool:
    """Tell whether a process still runs; a zombie does not, nor does another one with its number."""
    return bool(process.born) and _born(process.pid) == process.born


def client_of(kubeconfig: Path) -> closing[Client]:
    """Give a client of the sandbox for a `with`; it waits a moment for an answer, not for ever."""
    return closing(connect(ConnectionFlags(kubeconfig=str(kubeconfig), request_timeout="5s")))


def _start_parts(state: State, settings: Settings, processes: dict[str, Process]) -> Record:
    state.kubeconfig.unlink(missing_ok=True)
    processes[SERVER] = _spawn(state, SERVER, "kubectl_kruise.sandbox.serving.server", settings)
    # Beside it, because both have much to import; the second one waits for the first one's kubeconfig.
    processes[WORK] = _spawn_work(state, settings, processes)
    _wait_for(
        state, processes, "the server", lambda: state.kubeconfig.exists() and _answers(state.kubeconfig)
    )
    _wait_for_nodes(state, settings, processes)
    with client_of(state.kubeconfig) as client:
        return Record(client.server, settings, dict(processes))


def _spawn_work(state: State, settings: Settings, processes: dict[str, Process]) -> Process:
    return _spawn(state, WORK, "kubectl_kruise.sandbox.work", settings, str(processes[SERVER].pid))


def _wait_for_nodes(state: State, settings: Settings, processes: dict[str, Process]) -> None:
    """Wait for what the second process makes first."""
    _wait_for(state, processes, "the nodes", lambda: _ready_nodes(state.kubeconfig) >= settings.nodes)


def _spawn(state: State, part: str, module: str, settings: Settings, *more: str) -> Process:
    """Start a module in a session of its own, so that Ctrl-C in the terminal does not reach it."""
    arguments = (module, str(state.folder), json.dumps(asdict(settings)), *more)
    handle = os.open(state.log(part), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as log:
        started = subprocess.Popen(
            # -P: the folder the user stands in is no place to import from.
            [sys.executable, "-P", "-m", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    # Whoever starts a sandbox does not outlive it; the warning about a child left running does not apply.
    started.returncode = 0
    return Process(started.pid, _born(started.pid))


def _wait_for(state: State, processes: dict[str, Process], what: str, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        for part, process in processes.items():
            if not alive(process):
                raise ServerError(f"the sandbox's {part} ended at once", cause=_tail(state.log(part)))
        if time.monotonic() > end:
            raise TimedOutError(
                f"{what} of the sandbox did not come up in {PATIENCE:.0f} s", hint=f"see {state.folder}"
            )
        time.sleep(PAUSE)


def _answers(kubeconfig: Path) -> bool:
    try:
        with client_of(kubeconfig) as client:
            client.get("/version")
    except KruiseError:
        return False
    return True


def _ready_nodes(kubeconfig: Path) -> int:
    with client_of(kubeconfig) as client:
        nodes = client.list(NODE.path())["items"]
    return sum(
        not (node.get("spec") or {}).get("taints")
        and any(
            found["type"] == "Ready" and found["status"] == "True"
            for found in node.get("status", {}).get("conditions", [])
        )
        for node in nodes
    )


def end(processes: Iterable[Process]) -> None:
    """Ask processes to end, and end those that do not."""
    running = [process for process in processes if alive(process)]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in running:
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)
        end = time.monotonic() + GRACE
        while running and time.monotonic() < end:
            time.sleep(PAUSE)
            running = [process for process in running if alive(process)]


def _born(pid: int) -> str:
    """Give the start time of a running process in whatever unit the system has, "" for one that is gone."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            # The command's name stands in brackets and may hold anything; the fields are counted from behind it.
            fields = stat.read_text("utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] == "Z" else fields[19]
    found = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, started = found.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else started.strip()


def _tail(log: Path) -> str:
    try:
        return " | ".join(log.read_text("utf-8", errors="replace").splitlines()[-LOG_LINES:])
    except OSError:
        return ""

"""`migrate` as a process: signals, a terminal, no terminal (cli.md §3.7, §3.8)."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_kruise.cli.app import run
from kubectl_kruise.facts.kinds import DEPLOYMENT
from kubectl_kruise.sandbox import processes
from kubectl_kruise.sandbox.state import State, state_folder
from tests.operations.migrate.world import deployment

VERB = [sys.executable, "-m", "kubectl_kruise", "migrate", "deployment/web"]

STUBBORN = """
import time
from kubectl_kruise.cli.migrating.stopping import listening
with listening():
    print("ready", flush=True)
    while True:
        time.sleep(60)
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a sandbox with a Deployment whose ReplicaSet is too young to be left alone yet."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.setenv("KUBECONFIG", str(folder / "none"))
        state = State(state_folder(os.environ))
        try:
            assert run(["sandbox", "start", "--nodes=1"]) == 0
            with processes.client_of(state.kubeconfig) as client:
                client.create(DEPLOYMENT.path("default"), deployment(replicas=1))
            # The threads that watch end with their process only.
            settled = ["rollout", "status", "deployment/web", "--timeout", "60s", "-q", "--kubeconfig"]
            subprocess.run([*VERB[:3], *settled, str(state.kubeconfig)], check=True)
            yield state.kubeconfig
        finally:
            processes.stop(state)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_second_signal_leaves_at_once(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stderr.readline() == "\n"
        assert process.stderr.readline() == "stopping after the present request; again to leave at once\n"
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        assert "left at once; what was begun can be resumed\n" in process.stderr.read()


def test_nobody_to_ask_is_no_hang(sandbox: Path) -> None:
    done = subprocess.run(
        [*VERB, "--kubeconfig", str(sandbox)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "nobody is there to confirm" in done.stderr


def test_a_person_types_the_name_stops_and_goes_back(sandbox: Path) -> None:
    line = [*VERB, "--kubeconfig", str(sandbox)]
    keyboard, terminal = pty.openpty()
    with subprocess.Popen(
        line, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        os.write(keyboard, b"web\n")
        # The ReplicaSet is younger than 30 s: there the run can be met.
        assert any("waits" in text for text in process.stderr)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
        assert (
            "to go on from here: kubectl kruise migrate deployment/web -n default --resume\n"
            in process.stderr.read()
        )
    os.close(keyboard)
    os.close(terminal)

    undone = subprocess.run([*line, "--rollback", "--yes"], capture_output=True, text=True, timeout=60)
    assert (undone.returncode, undone.stdout) == (0, "deployment.apps/web rolled back\n")

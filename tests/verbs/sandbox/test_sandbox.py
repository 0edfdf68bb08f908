"""The sandbox's life as a user sees it: started, used, emptied, broken, stopped."""

import http.client
import json
import os
import signal
import socket
import ssl
import stat
import subprocess
import sys

import pytest

from kubectl_kruise.cli.app import run
from kubectl_kruise.errors import NotFoundError, RefusedError, ServerError, UnreachableError, UsageError
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.objects.raw import name_of
from kubectl_kruise.sandbox import processes
from kubectl_kruise.sandbox.state import Settings, State, state_folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A state folder of this module's own, and an empty kubeconfig."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.setenv("KUBECONFIG", str(folder / "none"))
        yield folder
        processes.stop(State(state_folder(os.environ)))


@pytest.fixture(scope="module")
def started(home):
    assert run(["sandbox", "start", "--nodes=2"]) == 0
    return State(state_folder(os.environ))


@pytest.fixture
def client(started):
    with processes.client_of(started.kubeconfig) as made:
        yield made


def test_nothing_runs_before_the_start(home, capsys):
    assert run(["sandbox", "status"]) == 4
    assert run(["sandbox", "stop"]) == 0
    assert capsys.readouterr().out == "sandbox does not run\nsandbox does not run\n"
    for verb in ("kubeconfig", "reset"):
        with pytest.raises(NotFoundError, match="does not run"):
            run(["sandbox", verb])


def test_no_controller_works_beside_its_own(started):
    command = [sys.executable, "-m", "kubectl_kruise", "controller", "run", "--kinds", "statefulsets"]
    environ = os.environ | {"KUBECONFIG": str(started.kubeconfig)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    first, cause, hint = done.stderr.splitlines()
    assert first == "error: a Kruise manager controls this cluster"
    assert cause.startswith("  cause: sandbox_")
    assert hint == "  hint: kubectl kruise sandbox start --kruise crds makes a sandbox without one"


def test_status_says_where_it_runs(started, capsys):
    assert run(["sandbox", "status"]) == 0
    address = started.read_record().server
    assert capsys.readouterr().out == (
        f"sandbox runs at {address}\nkubeconfig: {started.kubeconfig}\nkruise: controllers, nodes: 2\n"
    )


def test_a_second_start_says_so_and_changes_nothing(started, capsys):
    before = started.read_record()
    assert run(["sandbox", "start"]) == 0
    assert capsys.readouterr().out == (
        f"sandbox runs already at {before.server}\nexport KUBECONFIG={started.kubeconfig}\n"
    )
    assert started.read_record() == before
    with pytest.raises(RefusedError, match="runs already"):
        run(["sandbox", "start", "--port=1"])


def test_only_the_owner_may_read_the_state_folder(started):
    assert stat.S_IMODE(started.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in started.folder.iterdir()} == {0o600}


def test_the_kubeconfig_is_printed_and_leads_there(started, capsys):
    assert run(["sandbox", "kubeconfig"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["current-context"] == "kruise-sandbox"
    assert printed["clusters"][0]["cluster"]["server"] == started.read_record().server


def test_exec_sets_kubeconfig_and_passes_the_exit_code(started, capfd):
    script = "import os, sys; print(os.environ['KUBECONFIG'], *sys.argv[1:]); sys.exit(7)"
    assert run(["sandbox", "exec", "--", sys.executable, "-c", script, "-n", "--context=x"]) == 7
    assert capfd.readouterr().out == f"{started.kubeconfig} -n --context=x\n"


def test_exec_forgets_the_context_of_another_cluster(started, monkeypatch, capfd):
    monkeypatch.setenv("KUBECTL_KRUISE_CONTEXT", "prod")

    assert run(["sandbox", "exec", "--", sys.executable, "-m", "kubectl_kruise", "get"]) == 0


@pytest.mark.parametrize("words", [[], ["--", "no-such-command-here"]], ids=["no command", "unknown command"])
def test_exec_refuses_what_it_cannot_run(started, words):
    with pytest.raises(UsageError):
        run(["sandbox", "exec", *words])


def test_reset_empties_it_and_the_nodes_come_back(started, client):
    client.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "a"}})
    version = int(client.list("/api/v1/nodes")["metadata"]["resourceVersion"])
    assert run(["sandbox", "reset"]) == 0

    names = [name_of(raw) for raw in client.list("/api/v1/namespaces/default/configmaps")["items"]]
    assert "a" not in names
    nodes = client.list("/api/v1/nodes")
    assert [name_of(raw) for raw in nodes["items"]] == ["sandbox-node-0", "sandbox-node-1"]
    assert int(nodes["metadata"]["resourceVersion"]) > version


def _ask(started, **headers):
    """Send one request as a stranger would."""
    host, port = started.read_record().server.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=str(started.authority))
    connection = http.client.HTTPSConnection(host, int(port), context=context)
    try:
        connection.request("GET", "/api/v1/namespaces", headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("headers", "code", "reason"),
    [
        ({}, 401, "Unauthorized"),
        ({"Authorization": "Bearer wrong"}, 401, "Unauthorized"),
        ({"Host": "example.com"}, 403, "Forbidden"),
        ({"Origin": "https://example.com"}, 403, "Forbidden"),
    ],
    ids=["no token", "wrong token", "another host", "a web page"],
)
def test_strangers_are_refused(started, headers, code, reason):
    token = {"Authorization": f"Bearer {started.token.read_text('utf-8')}"} if code == 403 else {}
    status, body = _ask(started, **token, **headers)

    assert (status, body["reason"]) == (code, reason)


def test_it_listens_on_the_loopback_interface_only(started):
    port = int(started.read_record().server.rpartition(":")[2])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        other.bind(("127.0.0.2", port))  # would be taken if the server had bound every address


def test_an_open_watch_ends_cleanly_when_the_server_stops_and_a_dead_part_is_noticed(started, capsys):
    record = started.read_record()
    with processes.client_of(started.kubeconfig) as client:
        path = "/api/v1/namespaces/default/configmaps"
        since = client.list(path)["metadata"]["resourceVersion"]
        client.create(path, {"metadata": {"name": "seen"}})
        changes = client.watch(path, since, follow=False)
        assert next(changes).type == "ADDED"  # so it is open
        server = record.processes[processes.SERVER]
        os.kill(server.pid, signal.SIGTERM)
        list(changes)  # would raise where the connection broke instead of ending
    processes.end([server])

    with pytest.raises(ServerError, match="server") as dead:
        run(["sandbox", "status"])
    assert dead.value.hint == "kubectl kruise sandbox start"
    assert run(["sandbox", "start", "--kruise=none", "--plain-http"]) == 0
    out, err = capsys.readouterr()
    assert "http://127.0.0.1" in out
    assert "Warning: the former sandbox had ended (its server" in err
    assert "what was in it is gone" in err
    with processes.client_of(started.kubeconfig) as client:
        assert client.served("apps.kruise.io") == ()
    assert run(["sandbox", "stop"]) == 0
    assert not any(processes.alive(process) for process in record.processes.values())
    assert not started.kubeconfig.exists()


def test_a_copy_of_the_kubeconfig_stays_valid_over_a_restart(home, tmp_path, capsys):
    state, copy = State(state_folder(os.environ)), tmp_path / "copy"
    assert run(["sandbox", "start", "--kruise=none", "--nodes=0"]) == 0
    copy.write_text(state.kubeconfig.read_text("utf-8"), "utf-8")
    assert run(["sandbox", "stop"]) == 0
    with processes.client_of(copy) as client, pytest.raises(UnreachableError) as nobody:
        client.get("/version")
    assert nobody.value.hint == "kubectl kruise sandbox start"

    assert run(["sandbox", "start", "--kruise=none", "--nodes=0"]) == 0
    assert capsys.readouterr().err == ""
    with processes.client_of(copy) as client:
        assert client.list("/api/v1/nodes")["items"] == []
    kept = [state.authority, state.certificate, state.key, state.token]
    assert run(["sandbox", "stop"]) == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_a_port_taken_meanwhile_gives_way_to_a_free_one_and_that_is_said(home, capsys):
    state = State(state_folder(os.environ))
    state.create()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        state.write_port(port)
        assert run(["sandbox", "start", "--kruise=none", "--nodes=0"]) == 0
    assert f"Warning: port {port} is taken by now" in capsys.readouterr().err
    assert state.read_record().server == f"https://127.0.0.1:{state.read_port()}"
    assert run(["sandbox", "stop"]) == 0


def test_a_port_that_is_taken_is_named(home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match="ended at once") as refusal:
            run(["sandbox", "start", f"--port={port}"])
    assert f"port {port}" in refusal.value.cause


def test_another_release_at_the_address_of_the_last_one(tmp_path, monkeypatch):
    """What the former server served is still known to the user's tools; nodes and controllers have to ask anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    state = State(tmp_path / "state")

    addresses = set()
    for release in (Release.MAIN, Release.V1_9_0):
        addresses.add(processes.start(state, Settings(nodes=1, release=release.value)).server)
        processes.stop(state)

    assert len(addresses) == 1

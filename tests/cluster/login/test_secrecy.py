"""Whole commands, as loud as they get: what they print holds nothing that is secret, and Ctrl-C ends them."""

import os
import signal
import subprocess
import sys

import pytest

from tests.cluster.certificates import pair, server_tls
from tests.cluster.login.kubeconfigs import CA, KEY, config
from tests.cluster.loopback import Loopback, reply_json
from tests.cluster.proxying import LoopbackProxy

V1 = "client.authentication.k8s.io/v1"
PLUGIN = f"exec: {{apiVersion: {V1}, interactiveMode: Never, command: ./plugin}}"
SECRET = "hunter2-s3cr3t"
ENCODED = "aHVudGVyMi1zM2NyM3Q"  # the same in base64, wherever its bytes begin
COMMAND = [sys.executable, "-m", "kubectl_kruise", "rollout", "pause", "clone/web"]


def environ(tmp_path, user, cluster):
    (tmp_path / "config").write_text(config(cluster, user))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "KUBECONFIG": str(tmp_path / "config"),
        "HTTPS_PROXY": "",
    }


def write_plugin(tmp_path, body):
    script = tmp_path / "plugin"
    script.write_text(f"#!{sys.executable}\n{body}\n")
    script.chmod(0o700)


@pytest.mark.parametrize(
    ("user", "cluster", "proxy"),
    [
        (f"token: {SECRET}", "", ""),
        (f"username: joe, password: {SECRET}", "", ""),
        (PLUGIN, "", ""),
        (f"auth-provider: {{name: gcp, config: {{access-token: {SECRET}, expiry: '{SECRET}'}}}}", "", ""),
        (f"auth-provider: {{name: azure, config: {{access-token: {SECRET}, expires-on: {SECRET}}}}}", "", ""),
        (f"token: '{SECRET}\x01'", "", ""),
        ("token: t", f", proxy-url: 'http://me:{SECRET}@127.0.0.1:@PROXY@'", ""),
        ("token: t", f", proxy-url: 'http://me:{SECRET}@127.0.0.1:1'", ""),
        ("token: t", f", proxy-url: 'http://me:{SECRET}@[::1'", ""),
        ("token: t", f", proxy-url: 'ftp://me:{SECRET}@h'", ""),
        ("token: t", ", server: 'https://k.example'", f"http://me:{SECRET}@127.0.0.1:1"),
        ("token: t", ", server: 'https://k.example'", f"socks5://me:{SECRET}@127.0.0.1:1"),
        ("token: t", ", server: 'https://k.example'", f"socks4://me:{SECRET}@127.0.0.1:1"),
        ("token: t", ", server: 'https://k.example'", f"http://me:{SECRET}@h:port"),
        (f"client-certificate-data: {KEY}, client-key-data: {KEY}", "", ""),
        ("token: t", f", server: 'https://me:{SECRET}@127.0.0.1:@PORT@'", ""),
        ("token: t", f", server: 'https://me:{SECRET}@127.0.0.1:1'", ""),
        ("token: t", f", server: 'https://me:{SECRET}@127.0.0.1:port'", ""),
        ("token: t", f", server: 'ftp://me:{SECRET}@127.0.0.1'", ""),
        ("token: t", f", server: 'me:{SECRET}@127.0.0.1/path'", ""),
    ],
)
def test_nothing_secret_is_printed(tmp_path, user, cluster, proxy):
    write_plugin(
        tmp_path,
        f"import json; print(json.dumps({{'apiVersion': '{V1}', 'kind': 'ExecCredential',"
        f" 'status': {{'token': '{SECRET}'}}}}))",
    )
    refusal = reply_json({"kind": "Status", "code": 403, "message": "no"}, 403)
    (tmp_path / "tls").mkdir()
    with (
        Loopback(lambda _: refusal, server_tls(tmp_path / "tls", pair("server", "127.0.0.1"))) as server,
        LoopbackProxy("http", server.port, login=("me", "another")) as way,
    ):
        entry = f"server: 'https://127.0.0.1:{server.port}', certificate-authority-data: {CA}{cluster}"
        entry = entry.replace("@PROXY@", str(way.port)).replace("@PORT@", str(server.port))
        surroundings = environ(tmp_path, user, entry)
        done = subprocess.run(
            [*COMMAND, "-v=9"],
            env={**surroundings, "HTTPS_PROXY": proxy},
            capture_output=True,
            text=True,
            check=False,
        )

    printed = done.stdout + done.stderr
    assert done.returncode in (2, 5, 7), printed
    assert not [word for word in (SECRET, ENCODED, KEY[40:80]) if word in printed]


def test_control_c_while_a_plugin_waits_ends_both(tmp_path):
    started, held = tmp_path / "started", tmp_path / "held"
    os.mkfifo(started)
    os.mkfifo(held)
    # It ignores the signal, as one that waits for a browser may: it is ended all the same.
    write_plugin(
        tmp_path,
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"out = open({str(started)!r}, 'w'); out.write('x'); out.flush()\n"
        f"open({str(held)!r}).read()",
    )
    surroundings = environ(
        tmp_path, PLUGIN, f"server: 'https://127.0.0.1:1', certificate-authority-data: {CA}"
    )
    with subprocess.Popen(COMMAND, env=surroundings, stderr=subprocess.PIPE, text=True) as process:
        with started.open() as pipe:
            begun = pipe.read(1)
            process.send_signal(signal.SIGINT)
            rest = pipe.read()  # its end is the end of the plugin
        said = process.communicate(timeout=10)[1]

    assert (begun, rest, process.returncode) == ("x", "", 130)
    assert "Traceback" not in said


def test_the_words_of_a_plugin_reach_the_user(tmp_path):
    write_plugin(tmp_path, "import sys; print('touch your key', file=sys.stderr); sys.exit(4)")
    surroundings = environ(
        tmp_path,
        PLUGIN.replace("./plugin", './plugin, installHint: "get it:\\n  \\e[1mhttps://example.com"'),
        f"server: 'https://127.0.0.1:1', certificate-authority-data: {CA}",
    )

    done = subprocess.run(COMMAND, env=surroundings, capture_output=True, text=True, check=False)

    assert done.returncode == 7
    assert done.stderr.splitlines() == [
        "touch your key",
        'error: the credentials plugin of user "u" failed',
        f"  cause: {tmp_path}/plugin: exit status 4, its messages are above",
        "  hint: get it: [1mhttps://example.com",
    ]
    assert done.stdout == ""

"""A server that no longer accepts a login: asked again once, with another one where there is one."""

import json
import os
import sys

import pytest

from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.errors import NotAllowedError, UnreachableError
from tests.cluster.certificates import authority, pair, server_tls
from tests.cluster.login.kubeconfigs import CA, config
from tests.cluster.loopback import Loopback, Reply, reply_json

V1 = "client.authentication.k8s.io/v1"
POD = "/api/v1/namespaces/n/pods/p"


@pytest.fixture
def tls(tmp_path):
    (tmp_path / "server").mkdir()
    return server_tls(tmp_path / "server", pair("server", "127.0.0.1"))


@pytest.fixture
def opened(tmp_path):
    """Give a function: a client of a server for a user entry, written next to the files of the test."""
    clients = []

    def make(server, user, **cluster):
        more = "".join(f", {field}: {value}" for field, value in cluster.items())
        file = tmp_path / "config"
        file.write_text(config(f"server: '{server.url}', certificate-authority-data: {CA}{more}", user))
        environ = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": str(file)}
        clients.append(connect(ConnectionFlags(), environ=environ))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def plugin(tmp_path):
    """Give a function that installs a plugin; it takes one answer after the other, and the last one for ever."""

    def make(*statuses):
        answers = [{"apiVersion": V1, "kind": "ExecCredential", "status": status} for status in statuses]
        (tmp_path / "answers").write_text(json.dumps(answers))
        script = tmp_path / "plugin"
        script.write_text(
            f"#!{sys.executable}\nimport json\nanswers = json.load(open({str(tmp_path / 'answers')!r}))\n"
            f"open({str(tmp_path / 'runs')!r}, 'a').write('x')\nprint(json.dumps(answers[0]))\n"
            f"json.dump(answers[1:] or answers, open({str(tmp_path / 'answers')!r}, 'w'))\n"
        )
        script.chmod(0o700)
        return f"exec: {{apiVersion: {V1}, interactiveMode: Never, command: ./plugin}}"

    make.runs = lambda: len((tmp_path / "runs").read_text())
    return make


def accepting(*tokens, then=None):
    """Answer 401 to all but these tokens."""

    def answer(request):
        if request.headers.get("authorization") in {f"Bearer {token}" for token in tokens}:
            return then or reply_json({"metadata": {}, "items": []})
        return reply_json({"kind": "Status", "code": 401, "message": "Unauthorized"}, 401)

    return answer


def sent(server):
    return [(request.method, request.headers.get("authorization", "")) for request in server.received]


class TestTokenFile:
    def test_a_rotated_token_is_noticed_when_the_old_one_is_refused(self, opened, tls, tmp_path):
        (tmp_path / "token").write_text("one")
        with Loopback(accepting("two"), tls) as server:
            client = opened(server, "tokenFile: token")
            (tmp_path / "token").write_text("two\n")
            client.get(POD)

        assert sent(server) == [("GET", "Bearer one"), ("GET", "Bearer two")]

    def test_a_write_that_was_refused_was_not_done(self, opened, tls, tmp_path):
        (tmp_path / "token").write_text("one")
        with Loopback(accepting("two"), tls) as server:
            client = opened(server, "tokenFile: token")
            (tmp_path / "token").write_text("two")
            client.patch(POD, Patch(PatchType.MERGE, {"a": 1}))

        assert [request.body for request in server.received] == [b'{"a":1}'] * 2

    def test_the_same_token_is_not_tried_twice(self, opened, tls, tmp_path):
        (tmp_path / "token").write_text("one")
        with Loopback(accepting("two"), tls) as server, pytest.raises(NotAllowedError):
            opened(server, "tokenFile: token").get(POD)

        assert sent(server) == [("GET", "Bearer one")]

    def test_a_watch(self, opened, tls, tmp_path):
        (tmp_path / "token").write_text("one")
        event = b'{"type": "ADDED", "object": {"metadata": {"resourceVersion": "8"}}}\n'
        with Loopback(accepting("two", then=Reply(chunks=[event])), tls) as server:
            client = opened(server, "tokenFile: token")
            (tmp_path / "token").write_text("two")
            changes = list(client.watch("/api/v1/pods", "7", follow=False))

        assert [change.type for change in changes] == ["ADDED"]
        assert sent(server) == [("GET", "Bearer one"), ("GET", "Bearer two")]


@pytest.mark.parametrize("user", ["token: one", "username: u, password: p", "{}"])
def test_what_cannot_be_renewed_is_not_tried_twice(opened, tls, user):
    with Loopback(accepting("two"), tls) as server, pytest.raises(NotAllowedError):
        opened(server, user.strip("{}")).get(POD)

    assert len(server.received) == 1


class TestPlugin:
    def test_it_is_run_once_for_many_requests(self, opened, tls, plugin):
        with Loopback(accepting("one"), tls) as server:
            client = opened(server, plugin({"token": "one"}))
            for _ in range(3):
                client.get(POD)

        assert plugin.runs() == 1

    def test_nothing_is_run_before_there_is_a_request(self, opened, tls, plugin, tmp_path):
        with Loopback(accepting("one"), tls) as server:
            opened(server, plugin({"token": "one"}))

        assert not (tmp_path / "runs").exists()

    def test_it_is_run_again_when_its_token_is_refused(self, opened, tls, plugin):
        with Loopback(accepting("two"), tls) as server:
            client = opened(server, plugin({"token": "one"}, {"token": "two"}))
            client.create("/api/v1/namespaces/n/pods", {})
            client.get(POD)

        assert sent(server) == [("POST", "Bearer one"), ("POST", "Bearer two"), ("GET", "Bearer two")]
        assert plugin.runs() == 2

    def test_it_is_run_again_once_only(self, opened, tls, plugin):
        with Loopback(accepting("three"), tls) as server, pytest.raises(NotAllowedError):
            opened(server, plugin({"token": "one"}, {"token": "two"})).get(POD)

        assert sent(server) == [("GET", "Bearer one"), ("GET", "Bearer two")]

    def test_where_it_gives_the_same_again_nothing_is_sent_again(self, opened, tls, plugin):
        with Loopback(accepting("two"), tls) as server, pytest.raises(NotAllowedError):
            opened(server, plugin({"token": "one"})).get(POD)

        assert (len(server.received), plugin.runs()) == (1, 2)

    def test_an_expired_token_is_not_sent(self, opened, tls, plugin):  # fault B180
        old = {"token": "old", "expirationTimestamp": "2020-01-01T00:00:00Z"}
        with Loopback(accepting("new"), tls) as server:
            client = opened(
                server, plugin(old, {"token": "new", "expirationTimestamp": "2099-01-01T00:00:00Z"})
            )
            client.get(POD)
            client.get(POD)

        assert sent(server) == [("GET", "Bearer new")] * 2
        assert plugin.runs() == 2

    def test_its_certificate_opens_the_connection_and_a_new_one_a_new_connection(
        self, opened, plugin, tmp_path
    ):
        (tmp_path / "server").mkdir()
        tls = server_tls(tmp_path / "server", pair("server", "127.0.0.1"), asks_for_client=True)
        first, second = (
            {
                "clientCertificateData": made.certificate.decode(),
                "clientKeyData": made.key.decode(),
                "token": name,
            }
            for name, made in (("one", pair("one")), ("two", pair("two")))
        )
        with Loopback(accepting("two"), tls) as server:
            client = opened(server, plugin(first, second))
            client.get(POD)
            client.get(POD)

        assert [(request.headers["authorization"], request.connection) for request in server.received] == [
            ("Bearer one", 1),
            ("Bearer two", 2),
            ("Bearer two", 2),
        ]

    def test_a_certificate_that_is_none(self, opened, tls, plugin):
        status = {"clientCertificateData": "half a secr", "clientKeyData": "et"}
        with Loopback(accepting("one"), tls) as server, pytest.raises(UnreachableError) as caught:
            opened(server, plugin(status)).get(POD)

        assert caught.value.message == "the client certificate and key cannot be read"
        assert "secr" not in "".join(caught.value.lines())


def test_a_client_certificate_that_is_rotated_on_disk(tmp_path):
    from kubectl_kruise.cluster.http.tls import TlsSettings
    from kubectl_kruise.cluster.login.logins import TOKEN_SECONDS, ClientCertificate

    def put(made):
        (tmp_path / "c").write_bytes(made.certificate)
        (tmp_path / "k").write_bytes(made.key)

    now = [0.0]
    put(pair("one"))
    user = {"client-certificate": f"{tmp_path}/c", "client-key": f"{tmp_path}/k"}
    settings = TlsSettings(ClientCertificate(user, now=lambda: now[0]).identify, authority=authority().pem)
    first = settings.context()
    put(pair("two"))
    soon = settings.context()
    now[0] = TOKEN_SECONDS
    later = settings.context()
    (tmp_path / "k").unlink()
    now[0] += TOKEN_SECONDS

    assert first is soon
    assert later is not first
    assert settings.context() is later

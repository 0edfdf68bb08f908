"""Flags over environment over kubeconfig, from `connect` to the bytes that a server gets."""

import base64
import json
import subprocess
import sys

import pytest

from kubectl_kruise.cluster.connection import ConnectionFlags, connect, resolve
from kubectl_kruise.cluster.login.incluster import find_pod_login
from kubectl_kruise.errors import NotAllowedError, UnreachableError, UsageError
from tests.cluster.certificates import authority, pair, server_tls
from tests.cluster.loopback import Loopback, Received, reply_json

CA = base64.b64encode(authority().pem).decode()


@pytest.fixture
def environ(tmp_path):
    """Give an environment with a kubeconfig of two contexts."""
    config = {
        "current-context": "x",
        "clusters": [
            {
                "name": "c",
                "cluster": {
                    "server": "https://one:6443",
                    "certificate-authority-data": CA,
                    "tls-server-name": "one.example",
                },
            },
            {"name": "d", "cluster": {"server": "http://two"}},
            {"name": "proxied", "cluster": {"server": "https://three", "proxy-url": "socks4://p"}},
            {"name": "both", "cluster": {"server": "https://4", "insecure-skip-tls-verify": True,
                                         "certificate-authority-data": CA}},
            {"name": "nowhere", "cluster": {}},
        ],
        "contexts": [
            {"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "shop"}},
            {"name": "y", "context": {"cluster": "d", "user": "v"}},
        ],
        "users": [
            {"name": "u", "user": {"tokenFile": "/none", "token": "t"}},
            {"name": "v", "user": {"username": "joe", "password": "p"}},
            {"name": "e", "user": {"exec": {"apiVersion": "v0", "command": "x"}}},
            {"name": "a", "user": {"token": "t", "as": "eve", "as-groups": ["a"], "as-user-extra": {"k": ["v"]}}},
        ],
    }  # fmt: skip
    file = tmp_path / "config"
    file.write_text(json.dumps(config))
    return {"KUBECONFIG": str(file), "HOME": str(tmp_path)}


def said(endpoint):
    return endpoint.credentials.authorize().get("Authorization")


@pytest.mark.parametrize(
    ("flags", "namespace"),
    [
        ({}, "shop"),
        ({"context": "y"}, "default"),
        ({"context": "x"}, "shop"),
        ({"namespace": "flag"}, "flag"),
        ({"namespace": "namespace/flag"}, "flag"),
        ({"namespace": "NS/flag"}, "flag"),
        ({"namespace": "ns/"}, "ns/"),
    ],
)
def test_the_namespace_comes_from_the_flag_or_the_context(environ, flags, namespace):
    assert resolve(ConnectionFlags(**flags), environ).namespace == namespace


class TestOverrides:
    def test_another_server_has_another_name(self, environ):
        endpoint = resolve(ConnectionFlags(server="https://else/"), environ)

        assert (endpoint.server, endpoint.server_name) == ("https://else", "")
        assert endpoint.authority == authority().pem

    def test_the_name_in_the_certificate(self, environ):
        endpoint = resolve(ConnectionFlags(server="https://else", tls_server_name="n"), environ)

        assert endpoint.server_name == "n"

    def test_no_verification_drops_the_authority_of_the_kubeconfig(self, environ):
        endpoint = resolve(ConnectionFlags(insecure_skip_tls_verify=True), environ)

        assert (endpoint.insecure, endpoint.authority) == (True, b"")

    def test_another_authority(self, environ, tmp_path):
        (tmp_path / "ca.pem").write_bytes(b"CA")

        assert (
            resolve(ConnectionFlags(certificate_authority=f"{tmp_path}/ca.pem"), environ).authority == b"CA"
        )

    @pytest.mark.parametrize(
        ("flags", "header"),
        [
            ({}, "Bearer t"),
            ({"token": "mine"}, "Bearer mine"),
            ({"user": "v"}, "Basic am9lOnA="),
            ({"user": "e", "token": "mine"}, "Bearer mine"),
            ({"username": "me", "password": "pw"}, "Basic bWU6cHc="),
        ],
    )
    def test_who_asks(self, environ, flags, header):
        assert said(resolve(ConnectionFlags(**flags), environ)) == header

    def test_a_client_certificate_goes_with_the_token(self, environ, tmp_path):
        (tmp_path / "c").write_bytes(b"C")
        (tmp_path / "k").write_bytes(b"K")

        endpoint = resolve(
            ConnectionFlags(client_certificate=f"{tmp_path}/c", client_key=f"{tmp_path}/k"), environ
        )

        assert (endpoint.credentials.identify(), said(endpoint)) == ((b"C", b"K"), "Bearer t")

    def test_a_server_alone_needs_no_kubeconfig(self, tmp_path):
        endpoint = resolve(ConnectionFlags(server="localhost:8080"), {"HOME": str(tmp_path)})

        assert (endpoint.server, endpoint.namespace, said(endpoint)) == (
            "http://localhost:8080",
            "default",
            None,
        )


@pytest.mark.parametrize(
    ("flags", "more", "message"),
    [
        ({"cluster": "proxied"}, {}, 'proxy-url of the cluster has the scheme "socks4"'),
        ({}, {"HTTPS_PROXY": "ftp://u:secret@p:3128"}, '^HTTPS_PROXY has the scheme "ftp"[^@]*$'),
        ({"cluster": "both"}, {}, "exclude each other"),
        (
            {"insecure_skip_tls_verify": True, "certificate_authority": "ca"},
            {},
            "cannot read|exclude each other",
        ),
        ({"cluster": "nowhere"}, {}, "no server address"),
        ({"as_group": ["g"]}, {}, 'user "u" asks for a UID, groups or extras of another user without'),
        ({"as_uid": "1"}, {}, "without naming that user"),
        ({"as_user_extra": ["a=b"]}, {}, "without naming that user"),
        ({"as_": "joe", "as_user_extra": ["a"]}, {}, "--as-user-extra takes KEY=VALUE"),
        ({"as_": "jo\ne"}, {}, "Impersonate-User holds a character"),
        ({"token": "t", "username": "u"}, {}, "--token and --username"),
        ({"kubeconfig": "/none"}, {}, "/none does not exist"),
    ],
)
def test_what_does_not_work_is_refused(environ, flags, more, message):
    with pytest.raises(UsageError, match=message):
        resolve(ConnectionFlags(**flags), environ | more)


def test_a_user_without_a_home(tmp_path, monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)

    with pytest.raises(UsageError, match="no current context"):
        resolve(ConnectionFlags(), {})


def test_a_request_timeout_that_is_none(environ):
    with pytest.raises(UsageError, match='--request-timeout: "soon" is not a duration'):
        connect(ConnectionFlags(request_timeout="soon"), environ=environ)


class TestInCluster:
    @pytest.fixture
    def account(self, tmp_path):
        folder = tmp_path / "account"
        folder.mkdir()
        (folder / "token").write_text("pod")
        (folder / "ca.crt").write_bytes(authority().pem)
        (folder / "namespace").write_text("shop\n")
        return folder

    @pytest.mark.parametrize(
        ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
    )
    def test_the_service_account_of_the_pod(self, account, host, server):
        choice = find_pod_login({"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"}, account)

        assert (choice.cluster["server"], choice.namespace) == (server, "shop")
        assert choice.cluster["certificate-authority"] == str(account / "ca.crt")
        assert choice.user == {"tokenFile": str(account / "token")}

    def test_outside_of_a_pod(self, account, tmp_path):
        inside = {"KUBERNETES_SERVICE_HOST": "h", "KUBERNETES_SERVICE_PORT": "1"}

        assert find_pod_login({}, account) is None
        assert find_pod_login(inside, tmp_path) is None


class TestOnTheWire:
    @pytest.fixture
    def kubeconfig(self, tmp_path):
        def write(url, **cluster):
            me = pair("me")
            user = {
                "client-certificate-data": base64.b64encode(me.certificate).decode(),
                "client-key-data": base64.b64encode(me.key).decode(),
                "token": "secret-token",
            }
            config = {
                "current-context": "x",
                "clusters": [
                    {"name": "c", "cluster": {"server": url, "certificate-authority-data": CA, **cluster}}
                ],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "shop"}}],
                "users": [{"name": "u", "user": user}],
            }
            file = tmp_path / "kubeconfig"
            file.write_text(json.dumps(config))
            return {"KUBECONFIG": str(file), "HOME": str(tmp_path)}

        return write

    @pytest.fixture
    def opened(self):
        clients = []

        def make(flags, **settings):
            clients.append(connect(flags, **settings))
            return clients[-1]

        yield make
        for client in clients:
            client.close()

    def test_a_mutual_tls_connection_with_a_token(self, kubeconfig, opened, tmp_path):
        tls = server_tls(tmp_path, pair("server", "kubernetes.example"), asks_for_client=True)
        with Loopback(lambda _: reply_json({"gitVersion": "v1"}), tls) as server:
            client = opened(
                ConnectionFlags(tls_server_name="kubernetes.example"), environ=kubeconfig(server.url)
            )

            assert client.get("/version") == {"gitVersion": "v1"}

        assert (client.server, client.context, client.namespace) == (server.url, "x", "shop")
        assert server.received[0].headers["authorization"] == "Bearer secret-token"
        assert server.received[0].headers["user-agent"].startswith("kubectl-kruise/")

    def test_an_expired_token(self, kubeconfig, opened):
        status = {"kind": "Status", "code": 401, "message": "Unauthorized"}
        with Loopback(lambda _: reply_json(status, 401)) as server:
            client = opened(ConnectionFlags(), environ=kubeconfig(server.url))
            with pytest.raises(NotAllowedError) as caught:
                client.get("/version")

        assert caught.value.exit_code == 5
        assert "secret-token" not in "".join(caught.value.lines())

    def test_a_server_that_is_down(self, kubeconfig, opened):
        with Loopback(lambda _: reply_json({})) as server:
            environ = kubeconfig(server.url)
        client = opened(ConnectionFlags(), environ=environ)

        with pytest.raises(UnreachableError) as caught:
            client.get("/version")

        assert caught.value.exit_code == 7

    def test_what_is_served_is_kept_under_the_cache_folder(self, kubeconfig, opened, tmp_path):
        with Loopback(lambda _: reply_json({"versions": [{"version": "v1"}]})) as server:
            environ = kubeconfig(server.url)
            for _ in range(2):
                opened(ConnectionFlags(cache_dir=f"{tmp_path}/cache"), environ=environ).served("apps")

        assert len(server.received) == 1
        assert len(list((tmp_path / "cache" / "kubectl-kruise").iterdir())) == 1

    def test_requests_are_told_with_verbosity_and_nothing_secret(self, kubeconfig, opened, capsys):
        secret = {"kind": "Secret", "data": {"password": "aHVudGVyMg=="}}
        with Loopback(lambda _: reply_json(secret)) as server:
            client = opened(ConnectionFlags(), verbosity=8, environ=kubeconfig(server.url))
            client.create("/api/v1/namespaces/shop/secrets", secret)

        err = capsys.readouterr().err
        assert f"POST {server.url}/api/v1/namespaces/shop/secrets?fieldManager=kubectl-kruise 200 in" in err
        assert "request body:" in err
        assert "response body:" in err
        assert not [word for word in ("aHVudGVyMg", "secret-token") if word in err]


PROBE = """
import sys
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
client = connect(ConnectionFlags())
client.list("/api/v1/pods")
client.close()
print("\\n".join(sys.modules))
"""
PLAIN = """\
apiVersion: v1
clusters:
- cluster:
    server: {}
  name: c
contexts:
- context:
    cluster: c
  name: x
current-context: x
kind: Config
"""
HEAVY = {
    "kubernetes",
    "urllib3",
    "requests",
    "typer",
    "rich",
    "asyncio",
    "hashlib",
    "encodings.idna",
    "tempfile",
    "subprocess",
    "yaml",
    "kubectl_kruise.cluster.http.proxies",
    "kubectl_kruise.cluster.http.tunnels",
    "kubectl_kruise.cluster.login.plugin",
}


def test_one_request_imports_nothing_heavy(tmp_path):
    def answer(_: Received):
        return reply_json({"kind": "PodList", "metadata": {}, "items": []})

    with Loopback(answer) as server:
        (tmp_path / "config").write_text(PLAIN.format(server.url))
        environ = {"KUBECONFIG": f"{tmp_path}/config", "HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", PROBE], env=environ, capture_output=True, text=True, check=True
        )

    loaded = HEAVY & set(done.stdout.split())
    assert loaded == set()

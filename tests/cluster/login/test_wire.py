"""What a server gets from us and from kubectl for the same kubeconfig: address, login, impersonation, or nothing at all."""

import base64
import json
import os
import ssl
import stat
import subprocess
import sys
from typing import NamedTuple

import pytest

from kubectl_kruise.cli.flags import split_flags
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.errors import UnreachableError, UsageError
from tests.cluster.certificates import authority, pair, server_tls
from tests.cluster.login.kubeconfigs import CA, CERTIFICATE, KEY, config
from tests.cluster.login.test_kubeconfig_differential import KUBECTL
from tests.cluster.loopback import Loopback, reply_json
from tests.cluster.proxying import LoopbackProxy

OTHER = base64.b64encode(authority("stranger").pem).decode()
TOLD = ("authorization", "impersonate-user", "impersonate-uid", "impersonate-group")


class Row(NamedTuple):
    """`cluster` and `user` are entries in YAML; @SERVER@ is host and port of a server with TLS, @PLAIN@ of one without."""

    id: str
    user: str = "token: t"
    cluster: str = f"server: 'https://@SERVER@', certificate-authority-data: {CA}"
    flags: tuple[str, ...] = ()


class Seen(NamedTuple):
    target: str
    headers: tuple[tuple[str, str], ...]


def cluster(server: str = "https://@SERVER@", more: str = f", certificate-authority-data: {CA}") -> str:
    return f"server: '{server}'{more}"


PLUGIN = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./helper"
PAIR = f"client-certificate-data: {CERTIFICATE}, client-key-data: {KEY}"
ACTING = "token: t, as: joe, as-uid: '7', as-groups: [a, 'b, c'], as-user-extra: {Team/x%: [p, q], b: [r]}"

SENT = [
    Row("token"),
    Row("basic", "username: 'a:b', password: 'c:d'"),
    Row("user name alone", "username: joe"),
    Row("token with letters", "token: schlüssel"),
    Row("token file", "tokenFile: token"),
    Row("token file before token", "token: t, tokenFile: token"),
    Row("plain HTTP is told nothing", "token: t", cluster("http://@PLAIN@")),
    Row("plain HTTP: no password", "username: joe, password: p", cluster("http://@PLAIN@")),
    Row("plain HTTP: no plugin is run", f"exec: {{{PLUGIN}, env: [{{name: FAIL, value: '1'}}]}}", cluster("http://@PLAIN@")),
    Row("plain HTTP: acting as", ACTING, cluster("http://@PLAIN@")),
    Row("plain HTTP: a missing token file does not matter", "tokenFile: gone", cluster("http://@PLAIN@")),
    Row("no scheme", "token: t", cluster("@PLAIN@")),
    Row("no scheme is plain, also with an authority and a certificate", PAIR, cluster("@PLAIN@")),
    Row("authority and no verification over plain HTTP", "token: t",
        cluster("http://@PLAIN@", f", insecure-skip-tls-verify: true, certificate-authority-data: {CA}")),
    Row("upper-case scheme", "token: t", cluster("HTTPS://@SERVER@")),
    Row("prefix", "token: t", cluster("https://@SERVER@/k8s/clusters/c-1")),
    Row("prefix with slashes", "token: t", cluster("https://@SERVER@//a//b/../c/")),
    Row("query and fragment", "token: t", cluster("https://@SERVER@/a?x=1#y")),
    Row("prefix with escapes", "token: t", cluster("https://@SERVER@/%41%2Fb/c d/ä")),
    Row("password flag for the user name of the entry", "username: u", flags=("--password=p",)),
    Row("a password alone is nothing", f"password: p, exec: {{{PLUGIN}}}"),
    Row("password flag alone is nothing", f"exec: {{{PLUGIN}}}", flags=("--password=p",)),
    Row("token file beside a password", "tokenFile: token, password: p"),
    Row("user in the address", "token: t", cluster("https://me:pw@@SERVER@")),
    Row("user in the address and a certificate", PAIR, cluster("https://me:p%40w@@SERVER@")),
    Row("acting as another", ACTING),
    Row("acting by flag", "token: t", flags=("--as=joe", "--as-group=a", "--as-group=b", "--as-uid=1")),
    Row("the flag over the entry, whose groups stay", ACTING, flags=("--as=eve",)),
    Row("groups of the flag over those of the entry", ACTING, flags=("--as-group=z",)),
    Row("UID of the flag", ACTING, flags=("--as-uid=8",)),
    Row("extras add up", ACTING, flags=("--as-user-extra=b=s", "--as-user-extra=c=t")),
    Row("token flag", "", flags=("--token=f",)),
    Row("token flag over a token", "token: t", flags=("--token=f",)),
    Row("token flag before a plugin", f"exec: {{{PLUGIN}}}", flags=("--token=f",)),
    Row("plugin", f"exec: {{{PLUGIN}}}"),
    Row("token before a plugin", f"token: t, exec: {{{PLUGIN}}}"),
    Row("password before a plugin", f"username: u, exec: {{{PLUGIN}}}"),
    Row("certificate before a plugin", f"{PAIR}, exec: {{{PLUGIN}}}"),
    Row("a key alone is nothing", f"token: t, client-key-data: {KEY}"),
    Row("server flag", "token: t", cluster("https://unknown.invalid"), ("--server=https://@SERVER@",)),
    Row("server flag drops the name", "token: t", cluster(more=f", certificate-authority-data: {CA}, tls-server-name: x"),
        ("--server=https://@SERVER@",)),
    Row("no verification by flag", "token: t", cluster(more=f", certificate-authority-data: {OTHER}"),
        ("--insecure-skip-tls-verify",)),
    Row("authority by flag over no verification", "token: t", cluster(more=", insecure-skip-tls-verify: true"),
        ("--certificate-authority=ca.pem",)),
    Row("authority by flag over data", "token: t", cluster(more=f", certificate-authority-data: {OTHER}"),
        ("--certificate-authority=ca.pem",)),
    Row("certificate by flag over data", f"client-certificate-data: {OTHER}, client-key-data: {OTHER}",
        flags=("--client-certificate=me.pem", "--client-key=me.key")),
    Row("junk around the certificate", "token: t", "server: 'https://@SERVER@', certificate-authority: junk.pem"),
]  # fmt: skip

REFUSED = [
    Row("token and password", "token: t, username: u"),
    Row("token file and password", "tokenFile: token, username: u"),
    Row("plugin and provider", f"exec: {{{PLUGIN}}}, auth-provider: {{name: oidc}}"),
    Row("certificate without key", f"client-certificate-data: {CERTIFICATE}"),
    Row("key without match", f"client-certificate-data: {CERTIFICATE}, client-key-data: {CA}"),
    Row("certificate twice", f"{PAIR}, client-certificate: me.pem"),
    Row("key twice", f"{PAIR}, client-key: me.key"),
    Row("certificate file that is gone", "client-certificate: gone, client-key: me.key"),
    Row("authority twice", cluster=cluster(more=f", certificate-authority-data: {CA}, certificate-authority: ca.pem")),
    Row("authority and no verification", cluster=cluster(
        more=f", certificate-authority-data: {CA}, insecure-skip-tls-verify: true")),
    Row("authority that is none", cluster=cluster(more=", certificate-authority-data: aGVsbG8=")),
    Row("another authority", cluster=cluster(more=f", certificate-authority-data: {OTHER}")),
    Row("no authority", cluster=cluster(more="")),
    Row("another server name", cluster=cluster(more=f", certificate-authority-data: {CA}, tls-server-name: x")),
    Row("no server", cluster="certificate-authority: ca.pem"),
    Row("an empty cluster", cluster=""),
    Row("another protocol", cluster=cluster("ftp://@SERVER@")),
    Row("no scheme and a prefix", cluster=cluster("@PLAIN@/prefix")),
    Row("TLS without saying so", cluster=cluster("@SERVER@")),
    Row("unknown kind of proxy (fault B176)", cluster=cluster() + ", proxy-url: 'ftp://127.0.0.1:1'"),
    Row("a proxy that is none", cluster=cluster() + ", proxy-url: '127.0.0.1:1'"),
    Row("a proxy that is not there", cluster=cluster() + ", proxy-url: 'http://127.0.0.1:1'"),
    Row("groups without a user", "token: t, as-groups: [a]"),
    Row("groups without a user, over plain HTTP", "token: t, as-groups: [a]", cluster("http://@PLAIN@")),
    Row("UID without a user", "token: t", flags=("--as-uid=7",)),
    Row("extras without a user", "token: t", flags=("--as-user-extra=a=b",)),
    Row("two lines of token", 'token: "a\\nb"'),
    Row("empty token file", "tokenFile: empty"),
    Row("plugin without version", "exec: {command: ./helper, interactiveMode: Never}"),
    Row("plugin of an old version", "exec: {command: ./helper, apiVersion: client.authentication.k8s.io/v1alpha1}"),
    Row("plugin without mode", "exec: {command: ./helper, apiVersion: client.authentication.k8s.io/v1}"),
    Row("plugin with an odd mode", f"exec: {{{PLUGIN.replace('Never', 'Sometimes')}}}"),
    Row("plugin without command", f"exec: {{{PLUGIN.replace('./helper', '')}}}"),
    Row("plugin that does not exist", f"exec: {{{PLUGIN.replace('./helper', './gone')}}}"),
    Row("plugin with a nameless variable", f"exec: {{{PLUGIN}, env: [{{value: x}}]}}"),
    Row("plugin that fails", f"exec: {{{PLUGIN}, env: [{{name: FAIL, value: '1'}}]}}"),
    Row("plugin that answers in another version", f"exec: {{{PLUGIN.replace('/v1,', '/v1beta1,')}}}"),
    Row("plugin that wants a terminal", f"exec: {{{PLUGIN.replace('Never', 'Always')}}}"),
    Row("cluster flag that is unknown", flags=("--cluster=gone",)),
    Row("user flag that is unknown", flags=("--user=gone",)),
    Row("context flag that is unknown", flags=("--context=gone",)),
    Row("time-out that is none", flags=("--request-timeout=soon",)),
]  # fmt: skip

HELPER = f"""#!{sys.executable}
import json, os, sys
open("told", "a").write(os.environ["KUBERNETES_EXEC_INFO"] + "\\n")
if os.environ.get("FAIL"):
    sys.exit(3)
print(json.dumps({{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                  "status": {{"token": os.environ.get("TOKEN", "from-plugin")}}}}))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ca.pem").write_bytes(authority().pem)
    (tmp_path / "junk.pem").write_bytes(b"subject=cluster\n\n" + authority().pem + "\ngrüße\n".encode())
    (tmp_path / "me.pem").write_bytes(pair("me").certificate)
    (tmp_path / "me.key").write_bytes(pair("me").key)
    (tmp_path / "token").write_text("from-file\n")
    (tmp_path / "empty").write_text("\n")
    helper = tmp_path / "helper"
    helper.write_text(HELPER)
    helper.chmod(helper.stat().st_mode | stat.S_IXUSR)
    return tmp_path


@pytest.fixture
def servers(tmp_path):
    def answer(_):
        return reply_json({"kind": "Status"})

    with (
        Loopback(answer, server_tls(tmp_path, pair("server", "127.0.0.1"))) as secure,
        Loopback(answer) as plain,
    ):
        yield secure, plain


class Arena:
    """Asks both programs the same and keeps apart what the servers got."""

    def __init__(self, row, folder, servers):
        self._servers = servers
        (folder / "config").write_text(self._fill(config(row.cluster, row.user)))
        self._flags = [self._fill(flag) for flag in row.flags]
        self.environ = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "KUBECONFIG": str(folder / "config"),
        }

    def _fill(self, text):
        secure, plain = self._servers
        return text.replace("@SERVER@", f"127.0.0.1:{secure.port}").replace(
            "@PLAIN@", f"127.0.0.1:{plain.port}"
        )

    def kubectl(self):
        command = [KUBECTL, "get", "--raw", "/probe", *self._flags]
        done = subprocess.run(
            command, env=self.environ, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=30
        )
        return done.returncode == 0, self._seen()

    def ours(self):
        flags = ConnectionFlags(**split_flags(self._flags)[1].connection)
        try:
            client = connect(flags, environ=self.environ)
            client.get("/probe")
        except (UsageError, UnreachableError):
            return False, self._seen()
        client.close()
        return True, self._seen()

    def _seen(self):
        found = []
        for server in self._servers:
            for request in server.received:
                told = {
                    name: text for name, text in request.headers.items() if name in TOLD or "extra" in name
                }
                found.append(Seen(request.target, tuple(sorted(told.items()))))
            server.received.clear()
        return found


@pytest.mark.parametrize("row", SENT, ids=lambda row: row.id)
def test_what_is_sent_is_what_kubectl_sends(row, folder, servers):
    arena = Arena(row, folder, servers)

    ours = arena.ours()

    assert ours == arena.kubectl()
    assert ours[0]
    assert len(ours[1]) == 1


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.id)
def test_what_kubectl_refuses_is_refused_before_anything_is_sent(row, folder, servers, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    arena = Arena(row, folder, servers)

    assert arena.ours() == arena.kubectl() == (False, [])


@pytest.mark.parametrize(
    ("shown", "trusted", "sent"),
    [
        (pair("server", "127.0.0.1", signer="cluster/site"), authority("cluster/site").pem, True),
        (pair("server", "127.0.0.1"), pair("server", "127.0.0.1").certificate, True),
        (pair("server", "127.0.0.1"), authority("stranger").pem + authority().pem, True),
        (pair("server", "127.0.0.1", signer="cluster/site"), authority().pem, False),
        (pair("k.example"), authority().pem, False),
        (pair("server", "k.example"), authority().pem, True),
        (pair("server", "127.0.0.2"), authority().pem, False),
    ],
    ids=[
        "intermediate",
        "the certificate itself",
        "bundle",
        "gap in the chain",
        "name of old",
        "name",
        "another name",
    ],
)
def test_whom_we_trust_kubectl_trusts(folder, shown, trusted, sent):
    (folder / "trusted.pem").write_bytes(trusted)
    name = (
        ", tls-server-name: k.example"
        if b"k.example" in ssl.PEM_cert_to_DER_cert(shown.certificate.decode())
        else ""
    )
    row = Row("", cluster=f"server: 'https://@SERVER@', certificate-authority: trusted.pem{name}")
    with Loopback(lambda _: reply_json({}), server_tls(folder, shown)) as server:
        arena = Arena(row, folder, (server, server))

        assert arena.ours()[0] == arena.kubectl()[0] == sent


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
def test_by_way_of_a_proxy(folder, servers, scheme):
    (folder / "tls").mkdir()
    tls = server_tls(folder / "tls", pair("proxy", "127.0.0.1")) if scheme == "https" else None
    with LoopbackProxy(scheme, servers[0].port, tls=tls, login=("me", "p@ss")) as proxy:
        address = proxy.url.replace("//", "//me:p%40ss@")
        more = f", certificate-authority-data: {CA}, tls-server-name: 127.0.0.1, proxy-url: '{address}'"
        arena = Arena(Row("", "token: t", cluster("https://k.example:6443", more)), folder, servers)

        assert arena.ours() == arena.kubectl() == (True, [Seen("/probe", (("authorization", "Bearer t"),))])
    assert proxy.asked == ["k.example:6443"] * 2


@pytest.mark.parametrize(("excluded", "sent"), [("", True), ("other", True), (".example", False)])
def test_a_proxy_of_the_environment_for_plain_http(folder, servers, excluded, sent):
    _, proxy = servers
    arena = Arena(Row("", "token: t", cluster("http://k.example:81/a")), folder, servers)
    # The proxy itself answers; without it there is no such host.
    arena.environ |= {"HTTP_PROXY": f"127.0.0.1:{proxy.port}", "NO_PROXY": excluded}

    assert arena.ours() == arena.kubectl()
    assert arena.ours() == (sent, [Seen("http://k.example:81/a/probe", ())] if sent else [])


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
@pytest.mark.parametrize(
    "more",
    [
        "",
        ", tls-server-name: 127.0.0.1, disable-compression: true",
        ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: a, deep: [1, null]}}]",
        ", extensions: [{name: other, extension: {}}]",
    ],
)
def test_a_plugin_is_told_what_kubectl_tells_it(folder, servers, version, more):
    section = PLUGIN.replace("/v1,", f"/{version},") + ", provideClusterInfo: true"
    arena = Arena(Row("", f"exec: {{{section}}}", cluster() + more), folder, servers)
    (folder / "helper").write_text(HELPER.replace("io/v1", f"io/{version}"))

    assert arena.ours()[0]
    assert arena.kubectl()[0]

    ours, theirs = (json.loads(line) for line in (folder / "told").read_text().split("\n") if line)
    assert ours == theirs


def test_with_a_flag_the_user_means_it(folder, servers):
    """Here kubectl differs: it goes on with the token file, and refuses a password entry beside the token."""
    for user in ("tokenFile: token", "username: u, password: p"):
        arena = Arena(Row("", user, flags=("--token=f",)), folder, servers)

        assert arena.ours()[1][0].headers == (("authorization", "Bearer f"),)


def test_two_flags_that_exclude_each_other(folder, servers):
    with pytest.raises(UsageError):
        connect(ConnectionFlags(token="t", username="u"), environ={"HOME": str(folder)})

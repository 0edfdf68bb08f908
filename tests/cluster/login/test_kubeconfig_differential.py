"""Our reading of kubeconfig files against kubectl's and the official client's, over many odd files.

A row is a set of files and the question; kubectl answers with `config view --raw --minify --flatten`.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_kruise.cluster.connection import ConnectionFlags, resolve
from kubectl_kruise.errors import KruiseError
from tests.cluster.certificates import authority, pair

KUBECTL = shutil.which("kubectl", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
CA = base64.b64encode(authority().pem).decode()
ME = pair("me")
CERTIFICATE, KEY = (base64.b64encode(pem).decode() for pem in ME)


class Row(NamedTuple):
    """`files` by path; `names` are the entries of KUBECONFIG; `official` and `kubectl` say why that one is not asked."""

    id: str
    files: dict[str, str]
    names: tuple[str, ...] = ("config",)
    context: str = ""
    official: str = ""
    kubectl: str = ""


class Answer(NamedTuple):
    server: str = ""
    authority: bytes = b""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""
    basic: str = ""
    namespace: str = "default"
    server_name: str = ""
    insecure: bool = False


def config(
    cluster: str = "server: https://one:6443",
    user: str = "token: t",
    context: str = "cluster: c, user: u",
    current: str = "x",
) -> str:
    return (
        f"apiVersion: v1\nkind: Config\ncurrent-context: {current}\n"
        f"clusters: [{{name: c, cluster: {{{cluster}}}}}]\n"
        f"contexts: [{{name: x, context: {{{context}}}}}]\n"
        f"users: [{{name: u, user: {{{user}}}}}]\n"
    )


BLOCK = """\
apiVersion: v1
kind: Config
preferences: {}
clusters:
- cluster:
    certificate-authority: ca.pem
    server: https://10.0.0.1:6443/prefix
    tls-server-name: kubernetes.example
  name: prod
- name: dev
  cluster:
    server: http://localhost:8080
    insecure-skip-tls-verify: true
contexts:
- name: prod/admin@shop
  context:
    cluster: prod
    namespace: shop
    user: admin
- context: {cluster: dev, user: nobody}
  name: dev
- context:
    cluster: dev
  name: anonymous
current-context: prod/admin@shop
users:
- name: admin
  user:
    client-certificate: keys/me.pem
    client-key: keys/me.key
- name: nobody
  user: {}
"""
PEMS = {
    "ca.pem": authority().pem.decode(),
    "keys/me.pem": ME.certificate.decode(),
    "keys/me.key": ME.key.decode(),
}
SECOND = config("server: https://two:6443", "token: two", current="second").replace("name: x", "name: second")
ONLY_USER = (
    "users: [{name: u2, user: {token: from-b}}]\nclusters: [{name: c, cluster: {server: 'https://b'}}]\n"
)
NO_NULLS = "fails on a null value"

ROWS = [
    Row("token", {"config": config()}),
    Row("namespace", {"config": config(context="cluster: c, user: u, namespace: shop")}),
    Row("authority as data", {"config": config(f"server: https://one, certificate-authority-data: {CA}")}),
    Row("authority as file", {"config": BLOCK, **PEMS}),
    Row("certificate as data", {"config": config(user=f"client-certificate-data: {CERTIFICATE}, client-key-data: {KEY}")}),
    Row("certificate as file", {"a/config": config(user="client-certificate: ../c.pem, client-key: ../k.pem"),
                               "c.pem": ME.certificate.decode(), "k.pem": ME.key.decode()}, ("a/config",)),
    Row("data wins over file", {
        "config": config(f"server: https://one, certificate-authority: none.pem, certificate-authority-data: {CA}",
                         f"client-certificate: none, client-key: none, client-certificate-data: {CERTIFICATE}, client-key-data: {KEY}")},
        kubectl="cannot print such an entry"),
    Row("another context", {"config": BLOCK, **PEMS}, context="dev"),
    Row("a context without user is anonymous (fault B178)", {"config": BLOCK, **PEMS}, context="anonymous",
        official="wants a user"),
    Row("a token file beside its config", {"deep/config": config(user="tokenFile: t/token"), "deep/t/token": "from-file\n"},
        ("deep/config",)),
    Row("basic authentication", {"config": config(user="username: joe, password: 's:ecret'")}),
    Row("no verification", {"config": config("server: https://one, insecure-skip-tls-verify: true")}),
    Row("server name", {"config": config("server: https://one, tls-server-name: other.example")}),
    Row("trailing slash", {"config": config("server: https://one:6443/k8s/")}, official="keeps the slash"),
    Row("IPv6", {"config": config("server: 'https://[fd00::1]:6443'")}),
    Row("JSON", {"config": json.dumps({
        "current-context": "x", "clusters": [{"name": "c", "cluster": {"server": "https://j"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}]})}),
    Row("flow mapping that is no JSON", {"config": "{current-context: x, clusters: [{name: c, cluster: {server: 'https://f'}}], "
        "contexts: [{name: x, context: {cluster: c, user: u}}], users: [{name: u, user: {token: t}}]}"}),
    Row("anchors", {"config": config().replace("user: {token: t}", "user: &u {token: t}") + "extra: *u\n"}),
    Row("comments and documents", {"config": "# mine\n---\n" + config()}),
    Row("block scalar for data", {"config": BLOCK.replace("certificate-authority: ca.pem",
        "certificate-authority-data: >-\n      " + CA), **PEMS}, official="does not unfold the data"),
    Row("first wins (fault B172)", {"A/cfg": config(), "B/cfg": SECOND}, ("A/cfg", "", "none", "", "B/cfg")),
    Row("the second file's context over the first's cluster", {"A/cfg": config(), "B/cfg": SECOND}, ("A/cfg", "B/cfg"),
        context="second"),
    Row("the other way round", {"A/cfg": config(), "B/cfg": SECOND}, ("B/cfg", "A/cfg")),
    Row("an entry counts whole", {
        "A": config("insecure-skip-tls-verify: true, server: https://a"),
        "B": config(f"server: https://b, certificate-authority-data: {CA}")}, ("A", "B")),
    Row("user from another file", {"A": config(context="cluster: c, user: u2"), "B": ONLY_USER}, ("A", "B")),
    Row("paths relative to their own file", {"A/cfg": "current-context: x\n", "B/cfg": BLOCK.replace("prod/admin@shop", "x"),
        **{f"B/{name}": text for name, text in PEMS.items()}}, ("A/cfg", "B/cfg")),
    Row("current context from the second file", {"A": config(current="''"), "B": SECOND}, ("A", "B"),
        official="takes the first file's, though empty"),
    Row("empty file among others (fault B174)", {"A": "", "B": config()}, ("A", "B"), official=NO_NULLS),
    Row("null sections (fault B174)", {"A": "users: null\nclusters:\ncontexts: ~\n", "B": config()}, ("A", "B"),
        official=NO_NULLS),
    Row("null values (fault B174)", {"config": config(user="token: t, username: null, password: ~, exec: null")}),
    Row("null namespace", {"config": config(context="cluster: c, user: u, namespace: null")}),
    Row("null preferences and extensions", {"config": config("server: https://one, extensions: null") + "preferences: null\n"}),
    Row("minikube's extensions", {"config": config(
        "server: https://one, extensions: [{name: cluster_info, extension: {provider: minikube.sigs.k8s.io}}]",
        context="cluster: c, user: u, extensions: [{name: context_info, extension: {}}]")}),
    Row("unknown fields", {"config": config("server: https://one, colour: red", "token: t, shape: round")}),
    Row("quoted values", {"config": config('server: "https://one"', "token: '123'", "cluster: \"c\", user: 'u', namespace: \"007\"")}),
    Row("odd names", {"config": config().replace("name: x", "name: 'arn:aws:eks:eu:1:cluster/x y'")},
        context="arn:aws:eks:eu:1:cluster/x y"),
    Row("CRLF", {"config": config().replace("\n", "\r\n")}),
    Row("byte order mark", {"config": "\ufeff" + config()}),
    Row("token and token file: the file", {"config": config(user="token: t, tokenFile: tok"), "tok": "fresh"},
        official="takes the token"),
    Row("token and certificate", {"config": config(
        user=f"token: t, client-certificate-data: {CERTIFICATE}, client-key-data: {KEY}")}),
    Row("absolute path", {"config": config("server: https://one, certificate-authority: @ROOT@/ca.pem"), **PEMS}),
]  # fmt: skip


def write(row: Row, root: Path) -> dict[str, str]:
    for name, text in row.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("@ROOT@", str(root)).encode())
    return {
        "HOME": str(root / "home"),
        "PATH": os.environ["PATH"],
        "KUBECONFIG": os.pathsep.join(str(root / name) if name else "" for name in row.names),
    }


def ours(row: Row, environ: dict[str, str]) -> Answer:
    endpoint = resolve(ConnectionFlags(context=row.context), environ)
    header = endpoint.credentials.authorize().get("Authorization", "")
    return Answer(
        endpoint.server,
        endpoint.authority,
        endpoint.credentials.certificate,
        endpoint.credentials.key,
        header.removeprefix("Bearer ") if header.startswith("Bearer") else "",
        base64.b64decode(header.removeprefix("Basic ")).decode() if header.startswith("Basic") else "",
        endpoint.namespace,
        endpoint.server_name,
        endpoint.insecure,
    )


def kubectl(row: Row, environ: dict[str, str]) -> Answer:
    command = [KUBECTL, "config", "view", "--raw", "--minify", "--flatten", "-o", "json"]
    command += [f"--context={row.context}"] if row.context else []
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=30)
    view = json.loads(done.stdout)
    cluster = view["clusters"][0]["cluster"]
    user = view["users"][0]["user"] if view.get("users") else {}
    # It alone is printed as it stands in its file.
    folder = Path(environ["KUBECONFIG"].split(os.pathsep)[0]).parent
    pair_given = user.get("username") or user.get("password")
    token = (
        (folder / user["tokenFile"]).read_text().strip() if user.get("tokenFile") else user.get("token", "")
    )
    return Answer(
        cluster["server"].rstrip("/"),
        base64.b64decode(cluster.get("certificate-authority-data", "")),
        base64.b64decode(user.get("client-certificate-data", "")),
        base64.b64decode(user.get("client-key-data", "")),
        token,
        f"{user.get('username', '')}:{user.get('password', '')}" if pair_given else "",
        view["contexts"][0]["context"].get("namespace", "default"),
        cluster.get("tls-server-name", ""),
        cluster.get("insecure-skip-tls-verify", False),
    )


@pytest.mark.parametrize("row", [row for row in ROWS if not row.kubectl], ids=lambda row: row.id)
def test_as_kubectl(row, tmp_path):
    environ = write(row, tmp_path)

    assert ours(row, environ) == kubectl(row, environ)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.official], ids=lambda row: row.id)
def test_as_the_official_client(row, tmp_path):
    from kubernetes import client
    from kubernetes import config as official

    environ, settings = write(row, tmp_path), client.Configuration()
    names = os.pathsep.join(name for name in environ["KUBECONFIG"].split(os.pathsep) if name)

    official.load_kube_config(names, row.context or None, settings, persist_config=False)

    mine = ours(row, environ)
    given = settings.get_api_key_with_prefix("authorization") or ""
    assert settings.host == mine.server
    assert read(settings.ssl_ca_cert) == mine.authority
    assert (read(settings.cert_file), read(settings.key_file)) == (mine.certificate, mine.key)
    assert (given.removeprefix("Bearer ").strip() if given.startswith("Bearer") else "") == mine.token
    assert settings.verify_ssl != mine.insecure
    assert (settings.tls_server_name or "") == mine.server_name


def read(path: str | None) -> bytes:
    return Path(path).read_bytes() if path else b""


REFUSED = [
    Row("no current context (fault B178)", {"config": config(current="''")}),
    Row("context that does not exist", {"config": config()}, context="nope"),
    Row("current context that does not exist", {"config": config(current="gone")}),
    Row("cluster that does not exist", {"config": config(context="cluster: gone, user: u")}),
    Row("empty file (fault B174)", {"config": ""}),
    Row("only missing files", {}, ("none",)),
    Row("sections of another shape", {"config": config() + "clusters: 7\n"}),
    Row("not YAML", {"config": "clusters: [\n"}),
    Row("tabs", {"config": "clusters:\n\t- name: c\n"}),
    Row("missing authority file", {"config": config("server: https://one, certificate-authority: gone.pem")}),
    Row(
        "data that is not base64",
        {"config": config("server: https://one, certificate-authority-data: '%%%'")},
    ),
    Row("token that is a number", {"config": config(user="token: 12345")}),
]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.id)
def test_what_kubectl_refuses_we_refuse_too(row, tmp_path):
    environ = write(row, tmp_path)

    with pytest.raises(KruiseError) as caught:
        ours(row, environ)
    with pytest.raises(subprocess.CalledProcessError):
        kubectl(row, environ)

    assert caught.value.exit_code in (2, 7)

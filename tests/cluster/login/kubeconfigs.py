"""Odd kubeconfigs: sets of files and the question that is asked of them, for the tests that compare readers."""

import base64
import json
from typing import NamedTuple

from tests.cluster.certificates import authority, pair

CA = base64.b64encode(authority().pem).decode()
ME = pair("me")
CERTIFICATE, KEY = (base64.b64encode(pem).decode() for pem in ME)


class Row(NamedTuple):
    """`files` by path; `names` are the entries of KUBECONFIG; `official` says at what the official client fails."""

    id: str
    files: dict[str, str]
    names: tuple[str, ...] = ("config",)
    context: str = ""
    official: str = ""


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
    Row("proxy of the cluster (fault B176)", {"config": config("server: https://one, proxy-url: 'http://me:pw@proxy:3128'")},
        official="shows another form"),
    Row("impersonation", {"config": config(
        user="token: t, as: joe, as-uid: '7', as-groups: [a, 'b c'], as-user-extra: {Team/x: [p, q]}")}),
    Row("a date for a namespace", {"config": config(context="cluster: c, user: u, namespace: 2024-01-01")},
        official="takes a date for no text"),
    Row("a time of day for a token", {"config": config(user="token: 10:30")}, official="takes it for a number"),
    Row("numbers in quotes", {"config": config(user="username: '0123', password: \"12345\"")}),
    Row("the letter y in quotes", {"config": config(context="cluster: c, user: u, namespace: 'y'")}),
    Row("a truth in other words", {"config": config("server: https://one, insecure-skip-tls-verify: On")}),
    Row("the letter y for true", {"config": config("server: https://one, insecure-skip-tls-verify: y")},
        official="takes y for text that is true"),
    Row("the same key twice: the last", {"config": config("server: https://one, server: https://two")}),
    Row("two documents: the first", {"config": config() + "---\n" + SECOND}, official="wants one document"),
    Row("document end", {"config": config() + "...\n"}),
    Row("merge key", {"config": "base: &u {token: merged}\n" + config(user="<<: *u")}),
    Row("base64 over lines", {"config": BLOCK.replace("certificate-authority: ca.pem",
        "certificate-authority-data: |\n      " + CA[:76] + "\n      " + CA[76:]), **PEMS}),
    Row("null entries", {"config": config().replace("clusters: [", "clusters: [~, ") + "extensions: [~]\n"},
        official=NO_NULLS),
    Row("an entry without a name", {"config": config().replace("users: [", "users: [{user: {token: nameless}}, ")},
        official="wants names"),
    Row("path that climbs", {"a/b/config": config("server: https://one, certificate-authority: .././../ca.pem"), **PEMS},
        ("a/b/config",)),
    Row("path with spaces", {"config": config("server: https://one, certificate-authority: 'my ca.pem'"),
        "my ca.pem": PEMS["ca.pem"]}),
    Row("the same file twice", {"A": config()}, ("A", "A")),
    Row("namespace of another file's context is not taken over", {
        "A": config(), "B": config(context="cluster: c, user: u, namespace: b")}, ("A", "B")),
    Row("disabled compression", {"config": config("server: https://one, disable-compression: true")}),
    Row("upper-case scheme", {"config": config("server: 'HTTPS://One.Example:6443'")}, official="keeps the case"),
    Row("capital keys are unknown fields", {"config": config("server: https://one, Server: https://two, SERVER: x")}),
    Row("explicit tags", {"config": config(user="token: !!str 123")}),
    Row("folded and literal scalars", {"config": config().replace("user: {token: t}", 'user: {token: "a\\\n  b"}')}),
    Row("deep comments", {"config": BLOCK.replace("  name: prod\n", "  # about prod\n  name: prod # here\n"), **PEMS}),
    Row("legacy provider beside a token", {"config": config(
        user="token: t, auth-provider: {name: oidc, config: {client-id: x}}")}, official="asks the provider"),
    Row("an exec section beside a token", {"config": config(
        user="token: t, exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: none}")}, official="runs it"),
    Row("empty strings are absent", {"config": config(
        "server: https://one, certificate-authority: '', proxy-url: ''", "token: '', tokenFile: '', username: ''")},
        official="looks for the files"),
]  # fmt: skip

REFUSED = [
    Row("no current context (fault B178)", {"config": config(current="''")}),
    Row("context that does not exist", {"config": config()}, context="nope"),
    Row("current context that does not exist", {"config": config(current="gone")}),
    Row("cluster that does not exist", {"config": config(context="cluster: gone, user: u")}),
    Row("empty file (fault B174)", {"config": ""}),
    Row("only missing files", {}, ("none",)),
    Row("only separators", {}, ("", "")),
    Row("a folder", {"config/inside": ""}),
    Row("a file for a folder", {"config": ""}, ("config/inside",)),
    Row("sections of another shape", {"config": config() + "clusters: 7\n"}),
    Row("not YAML", {"config": "clusters: [\n"}),
    Row("tabs", {"config": "clusters:\n\t- name: c\n"}),
    Row("missing authority file", {"config": config("server: https://one, certificate-authority: gone.pem")}),
    Row("data that is not base64", {"config": config("server: https://one, certificate-authority-data: '%%%'")}),
    Row("data with a blank", {"config": config("server: https://one, certificate-authority-data: 'aGk gaGk='")}),
    Row("data without padding", {"config": config("server: https://one, certificate-authority-data: aGkga")}),
    Row("token that is a number", {"config": config(user="token: 12345")}),
    Row("password that is a number (in Go's eyes)", {"config": config(user="username: u, password: 1e3")}),
    Row("namespace that is a truth", {"config": config(context="cluster: c, user: u, namespace: on")}),
    Row("name that is a number", {"config": config().replace("name: u", "name: 7")}),
    Row("truth that is text", {"config": config("server: https://one, insecure-skip-tls-verify: 'true'")}),
    Row("a fault in an entry that nobody uses", {
        "config": config().replace("users: [", "users: [{name: v, user: {as-groups: admins}}, ")}),
    Row("a fault in a later file", {"A": config(), "B": "users: [{name: v, user: {token: 7}}]"}, ("A", "B")),
    Row("a name twice", {"config": config().replace("users: [", "users: [{name: u, user: {token: x}}, ")}),
    Row("another kind", {"config": config().replace("kind: Config", "kind: Secret")}),
    Row("another version", {"config": config().replace("apiVersion: v1", "apiVersion: v2")}),
    Row("arguments that are numbers", {"config": config(
        user="exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, args: [1]}")}),
    Row("provider settings that are numbers", {"config": config(
        user="auth-provider: {name: azure, config: {expires-on: 123}}")}),
]  # fmt: skip

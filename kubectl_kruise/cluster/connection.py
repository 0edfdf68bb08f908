"""From kubectl's connection flags, the environment and kubeconfig files to a client (cli.md §3.1, §3.2)."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote

from kubectl_kruise import __version__
from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.http.connecting import Route, parse_server
from kubectl_kruise.cluster.http.failures import hint_for
from kubectl_kruise.cluster.http.transport import HttpTransport
from kubectl_kruise.cluster.login.credentials import Credentials, read_pem
from kubectl_kruise.cluster.login.impersonation import acting_as, read_extra
from kubectl_kruise.cluster.login.kubeconfig import Choice, choose, find_files, load_kubeconfig
from kubectl_kruise.cluster.login.logins import basic, check_user, read_credentials
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.objects.raw import Raw

if TYPE_CHECKING:
    from kubectl_kruise.cluster.http.proxies import Proxy
    from kubectl_kruise.cluster.port import Transport

PROXY_VARIABLES: Final = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
NAMESPACE_WORDS: Final = ("namespaces/", "namespace/", "ns/")


class ConnectionFlags(NamedTuple):
    """kubectl's connection flags as typed; "" and () for absent ones."""

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    server: str = ""
    token: str = ""
    username: str = ""
    password: str = ""
    certificate_authority: str = ""
    client_certificate: str = ""
    client_key: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    request_timeout: str = ""
    disable_compression: bool = False
    cache_dir: str = ""
    as_: str = ""
    as_group: Sequence[str] = ()
    as_uid: str = ""
    as_user_extra: Sequence[str] = ()


class Endpoint(NamedTuple):
    """One server and one user, every override applied. File contents are PEM; `acting_as` are the headers for that.

    `server` holds no user name and password, whatever the kubeconfig says.
    """

    context: str
    namespace: str
    server: str
    authority: bytes
    insecure: bool
    server_name: str
    credentials: Credentials
    acting_as: tuple[tuple[str, str], ...]
    compress: bool
    proxy: "Proxy | None"


def connect(
    flags: ConnectionFlags,
    *,
    on_warning: Callable[[str], None] | None = None,
    verbosity: int = 0,
    environ: Mapping[str, str] = os.environ,
    name: str = "",
) -> Client:
    """Make a client for what `flags`, the environment and the kubeconfig files say; nothing is sent yet.

    `name` is the user agent and field manager of a program that is not this command. With `verbosity` 6 and above
    requests are told on stderr (7: headers, 8: bodies; nothing secret). Raises UsageError for settings that are
    malformed, contradict each other or are not supported, UnreachableError for a credentials plugin that fails.
    """
    endpoint = resolve(flags, environ)
    transport: Transport = _transport(endpoint, parse_timeout(flags.request_timeout, "--request-timeout"))
    if verbosity >= 6:
        from kubectl_kruise.cluster.http.tracing import TracingTransport

        transport = TracingTransport(transport, endpoint.server, verbosity, sys.stderr)
    return Client(
        transport,
        namespace=endpoint.namespace,
        context=endpoint.context,
        server=endpoint.server,
        on_warning=on_warning,
        user_agent=name or f"kubectl-kruise/{__version__}",
        field_manager=name or "kubectl-kruise",
        cache=_cache_file(flags.cache_dir, endpoint.server, environ),
    )


def resolve(flags: ConnectionFlags, environ: Mapping[str, str]) -> Endpoint:
    """Apply flags over the kubeconfig that `environ` names, or over the cluster one runs in where there is none."""
    # Without HOME, and for a user without an entry in the system's list, it stays "~": no such folder, no such file.
    home = Path(environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises there
    config = load_kubeconfig(find_files(flags.kubeconfig, environ, home))
    if not (config.contexts or config.clusters or flags.context or flags.cluster or flags.server):
        from kubectl_kruise.cluster.login.incluster import find_pod_login

        if choice := find_pod_login(environ):
            return _endpoint(flags, choice, environ)
    choice = choose(
        config, context=flags.context, cluster=flags.cluster, user=flags.user, server=flags.server
    )
    return _endpoint(flags, choice, environ)


def _endpoint(flags: ConnectionFlags, choice: Choice, environ: Mapping[str, str]) -> Endpoint:
    cluster, user = _override_cluster(flags, choice.cluster), _override_user(flags, choice.user)
    given = cluster.get("server", "")
    if not given:
        raise UsageError(
            "the cluster has no server address", hint="give it in the kubeconfig, or with --server"
        )
    url = _server_url(given)
    host = url.netloc.rpartition("@")[2]
    server = url._replace(netloc=host).geturl()
    authority, insecure = _trust(cluster, secure=url.scheme == "https")
    credentials = _credentials(user, choice.user_name, cluster, environ, secure=url.scheme == "https")
    if url.username is not None:
        # Go's HTTP library sees to these itself, before anything else has a say.
        pair = basic(unquote(url.username), unquote(url.password or ""))
        credentials = Credentials(pair, credentials.identify)
    return Endpoint(
        choice.context,
        _namespace(flags.namespace) or choice.namespace or "default",
        server,
        authority,
        insecure,
        cluster.get("tls-server-name", ""),
        credentials,
        acting_as(user, choice.user_name),
        compress=not (flags.disable_compression or cluster.get("disable-compression")),
        proxy=_proxy(server, cluster.get("proxy-url", ""), environ),
    )


def _server_url(given: str) -> SplitResult:
    """Read a server address; without a scheme it is plain HTTP for kubectl, also with a certificate authority."""
    if "://" in given:
        return parse_server(given)
    url = parse_server(f"http://{given}")
    if url.path:
        shown = url.netloc.rpartition("@")[2]
        raise UsageError("a server address with a path needs a scheme", hint=f"https://{shown}{url.path}")
    return url


def _trust(cluster: Raw, *, secure: bool) -> tuple[bytes, bool]:
    if cluster.get("certificate-authority") and cluster.get("certificate-authority-data"):
        raise UsageError(
            "the cluster has certificate-authority and certificate-authority-data, of which only one may be given"
        )
    authority = read_pem(cluster, "certificate-authority")
    insecure = bool(cluster.get("insecure-skip-tls-verify"))
    if authority and insecure and secure:
        raise UsageError("a certificate authority and insecure-skip-tls-verify exclude each other")
    return authority, insecure


def _credentials(
    user: Raw, name: str, cluster: Raw, environ: Mapping[str, str], *, secure: bool
) -> Credentials:
    """Read who asks; over plain HTTP, where all could read it, nothing of that is sent, as kubectl does."""
    if secure:
        return read_credentials(user, name, cluster, environ=environ)
    check_user(user, name)
    return Credentials()


def _proxy(server: str, entry: str, environ: Mapping[str, str]) -> "Proxy | None":
    if not entry and not any(environ.get(name) for name in PROXY_VARIABLES):
        return None
    from kubectl_kruise.cluster.http.proxies import pick_proxy

    return pick_proxy(server, entry, environ)


def _namespace(text: str) -> str:
    """Read the value of `-n`, which may be `namespace/NAME`, as kubectl prints it."""
    for word in NAMESPACE_WORDS:
        if text.lower().startswith(word) and len(text) > len(word):
            return text[len(word) :]
    return text


def _override_cluster(flags: ConnectionFlags, cluster: Raw) -> Raw:
    changed = dict(cluster)
    if flags.server:
        changed["server"] = flags.server
        changed.pop("tls-server-name", None)  # it was the name of the other server
    if flags.tls_server_name:
        changed["tls-server-name"] = flags.tls_server_name
    if flags.insecure_skip_tls_verify or flags.certificate_authority:
        for field in ("certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify"):
            changed.pop(field, None)
    if flags.insecure_skip_tls_verify:
        changed["insecure-skip-tls-verify"] = True
    if flags.certificate_authority:
        changed["certificate-authority"] = flags.certificate_authority
    return changed


def _override_user(flags: ConnectionFlags, user: Raw) -> Raw:
    changed = dict(user)
    if flags.token and (flags.username or flags.password):
        raise UsageError("--token and --username exclude each other")
    # What is typed is meant: it does not stand back behind another login of the entry.
    others: tuple[str, ...] = ()
    if flags.token:
        others = ("tokenFile", "username", "password", "exec", "auth-provider")
    elif flags.username:
        others = ("token", "tokenFile", "exec", "auth-provider")
    for field in others:
        changed.pop(field, None)
    for field, value in (
        ("token", flags.token),
        ("username", flags.username),
        ("password", flags.password),
        ("client-certificate", flags.client_certificate),
        ("client-key", flags.client_key),
    ):
        if value:
            changed[field] = value
            changed.pop(f"{field}-data", None)
    acting: Raw = {
        "as": flags.as_,
        "as-uid": flags.as_uid,
        "as-groups": list(flags.as_group),
        "as-user-extra": {**user.get("as-user-extra", {}), **read_extra(flags.as_user_extra)},
    }
    changed.update((field, given) for field, given in acting.items() if given)
    return changed


def _transport(endpoint: Endpoint, timeout: float | None) -> HttpTransport:
    tls = None
    if endpoint.server.startswith("https:"):
        from kubectl_kruise.cluster.http.tls import TlsSettings

        tls = TlsSettings(
            endpoint.credentials.identify, authority=endpoint.authority, insecure=endpoint.insecure
        ).context
    return HttpTransport(
        Route(
            parse_server(endpoint.server),
            tls,
            endpoint.server_name,
            endpoint.proxy,
            endpoint.authority,
            endpoint.insecure,
        ),
        timeout=timeout,
        authorize=endpoint.credentials.authorize,
        renew=endpoint.credentials.renew,
        always=endpoint.acting_as,
        compress=endpoint.compress,
        hint=hint_for(endpoint.context),
    )


def _cache_file(folder: str, server: str, environ: Mapping[str, str]) -> Path | None:
    """Give the file that keeps what `server` serves; None where there is no home to keep it in."""
    if folder:
        root = Path(folder)
    elif environ.get("XDG_CACHE_HOME"):
        root = Path(environ["XDG_CACHE_HOME"])
    elif environ.get("HOME"):
        root = Path(environ["HOME"]) / ".cache"
    else:
        return None
    return root / "kubectl-kruise" / f"{quote(server, safe='')}.json"

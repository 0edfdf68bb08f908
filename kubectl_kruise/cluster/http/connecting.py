"""Making a connection to one API server: directly or by way of a proxy, with or without TLS."""

import posixpath
import socket
import ssl
from collections.abc import Callable
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import SplitResult, quote, unquote, urlsplit

from kubectl_kruise.cluster.http.failures import ProxyError
from kubectl_kruise.errors import UsageError

if TYPE_CHECKING:
    from kubectl_kruise.cluster.http.proxies import Proxy

CONNECT_SECONDS: Final = 30.0
SAFE: Final = "/:@!$&'()*+,;=~"


class Route(NamedTuple):
    """How to come to a server. `tls` gives the context for a new connection, None for plain HTTP.

    `authority` (PEM) and `insecure` are for the TLS of the proxy, if it has any.
    """

    url: SplitResult
    tls: Callable[[], ssl.SSLContext] | None = None
    server_name: str = ""
    proxy: "Proxy | None" = None
    authority: bytes = b""
    insecure: bool = False

    @property
    def relayed(self) -> bool:
        """Whether a proxy is given each request, as for plain HTTP, instead of a tunnel's bytes."""
        return self.proxy is not None and self.tls is None and not self.proxy.tunnels


class Connection(HTTPConnection):
    """A connection that verifies the route's `server_name` instead of the address it dials, and notices dead peers."""

    def __init__(self, route: Route, context: ssl.SSLContext | None, timeout: float | None) -> None:
        url = route.url
        host = unquote(url.hostname or "localhost")  # the zone of an IPv6 address is set off by %25
        super().__init__(host, url.port or (443 if context else 80), timeout=timeout)
        self.context = context
        self._route = route

    def connect(self) -> None:
        proxy, host = self._route.proxy, _ascii(self.host)
        if proxy is None:
            sock = self._dial(host, self.port)
        else:
            try:
                sock = self._by_proxy(proxy, host)
            except ProxyError as error:
                error.proxy = proxy.address
                raise
        self.sock = sock
        if self.context:
            self.sock = _secure(sock, self.context, _ascii(self._route.server_name) or host)

    def _by_proxy(self, proxy: "Proxy", host: bytes) -> socket.socket:
        from kubectl_kruise.cluster.http.tunnels import open_tunnel, reach

        sock = reach(proxy, self._dial, self._route.authority, insecure=self._route.insecure)
        if not self._route.relayed:
            try:
                open_tunnel(sock, proxy, host, self.port)
            except BaseException:
                sock.close()
                raise
        return sock

    def _dial(self, host: bytes, port: int) -> socket.socket:
        # As bytes: of a text, also a plain one, Python asks the IDNA codec, which takes milliseconds to load.
        address = cast("str", host)  # the socket module takes both
        sock = socket.create_connection((address, port), self.timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # A watch may be silent for minutes; without probes a vanished server would never be noticed.
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if option := getattr(socket, name, None):
                sock.setsockopt(socket.IPPROTO_TCP, option, seconds)
        return sock


def parse_server(server: str) -> SplitResult:
    """Take a server address apart; its path is cleaned as Go does, and without a slash at the end.

    Raises UsageError for what is no http or https URL.
    """
    try:
        url = urlsplit(server)
        usable = url.scheme in {"http", "https"} and url.hostname and (url.port or 1)
    except ValueError as error:
        raise UsageError("the server address is not a URL", cause=str(error)) from error
    if not usable:
        shown = server.rpartition("@")[2]
        raise UsageError(f"the server address {shown!r} is not an http or https URL")
    path = posixpath.normpath(f"/{unquote(url.path).lstrip('/')}").rstrip("/")
    return url._replace(path=quote(path, safe=SAFE), query="", fragment="")


def _secure(sock: socket.socket, context: ssl.SSLContext, name: bytes) -> socket.socket:
    if not isinstance(sock, ssl.SSLSocket):
        return context.wrap_socket(sock, server_hostname=name)
    from kubectl_kruise.cluster.http.nested import NestedTls

    return cast("socket.socket", NestedTls(sock, context, name))


def _ascii(host: str) -> bytes:
    return host.encode("ascii") if host.isascii() else host.encode("idna")

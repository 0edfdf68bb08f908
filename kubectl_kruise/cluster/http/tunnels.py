"""Connections to a server by way of a proxy: plain or TLS to the proxy, CONNECT or SOCKS5, then TLS to the server."""

import socket
import ssl
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from typing import Final

from kubectl_kruise.cluster.http.failures import ProxyError
from kubectl_kruise.cluster.http.proxies import Proxy

LOGIN_WANTED: Final = 407

Dial = Callable[[bytes, int], socket.socket]
"""Opens a TCP connection to a host and a port."""


def reach(proxy: Proxy, dial: Dial, authority: bytes, *, insecure: bool) -> socket.socket:
    """Connect to the proxy itself, by TLS where it is an https one.

    Its certificate may be signed by an authority of the system or by `authority`, the cluster's (PEM), which is the one
    that kubectl asks; the user's client certificate is not shown to it. Raises ProxyError.
    """
    try:
        sock = dial(_ascii(proxy.host), proxy.port)
    except OSError as error:
        raise ProxyError(f"cannot reach it: {error.strerror or error}") from error
    if proxy.scheme != "https":
        return sock
    try:
        return _proxy_context(authority, insecure=insecure).wrap_socket(
            sock, server_hostname=_ascii(proxy.host)
        )
    except (OSError, ValueError) as error:
        sock.close()
        said = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
        raise ProxyError(f"TLS with it failed: {said}") from error


def open_tunnel(sock: socket.socket, proxy: Proxy, host: bytes, port: int) -> None:
    """Make the connection to `proxy` one to `host`; ProxyError where it does not want to."""
    try:
        if proxy.tunnels:
            from kubectl_kruise.cluster.http.socks import greet

            greet(sock, host, port, proxy.login)
        else:
            _connect(sock, proxy, host, port)
    except ProxyError:
        raise
    except (OSError, HTTPException, ValueError) as error:
        said = "it did not answer in time" if isinstance(error, TimeoutError) else "it broke off"
        raise ProxyError(said) from error


def _connect(sock: socket.socket, proxy: Proxy, host: bytes, port: int) -> None:
    name = host.decode()
    authority = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{key}: {value}" for key, value in proxy.authorization.items()]
    sock.sendall("\r\n".join([*lines, "", ""]).encode())
    # Nothing of the tunnel can be read too early here: in TLS the client speaks first.
    answer = HTTPResponse(sock, method="CONNECT")
    try:
        answer.begin()
    finally:
        answer.close()
    if answer.status == LOGIN_WANTED:
        wants_login = proxy.login is None
        said = (
            "it wants a user name and password"
            if wants_login
            else "it does not accept the user name and password"
        )
        raise ProxyError(said, wants_login=wants_login)
    if answer.status // 100 != 2:
        raise ProxyError(f"it answered {answer.status} {answer.reason}".rstrip())


def _proxy_context(authority: bytes, *, insecure: bool) -> ssl.SSLContext:
    from kubectl_kruise.cluster.http.tls import tls_context

    context = tls_context(authority=authority, insecure=insecure)
    if authority and not insecure:
        context.load_default_certs()
    return context


def _ascii(host: str) -> bytes:
    return host.encode("ascii") if host.isascii() else host.encode("idna")

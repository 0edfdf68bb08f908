"""The SOCKS5 greeting (RFC 1928, user names RFC 1929): the proxy finds the host and connects to it."""

import socket
from ipaddress import ip_address
from typing import Final

from kubectl_kruise.cluster.http.failures import ProxyError

VERSION: Final = 5
NO_LOGIN, WITH_PASSWORD = 0, 2
CONNECT: Final = 1
IPV4, NAME, IPV6 = 1, 3, 4
LONGEST: Final = 255
REPLIES: Final = {
    1: "general failure", 2: "the rules of the proxy forbid it", 3: "network unreachable", 4: "host unreachable",
    5: "connection refused", 6: "the host is too far away", 7: "the proxy cannot connect", 8: "address not supported",
}  # fmt: skip


def greet(sock: socket.socket, host: bytes, port: int, login: tuple[str, str] | None) -> None:
    """Ask the proxy behind `sock` for a connection to `host`; after that the socket leads there.

    Raises ProxyError with what the proxy says, OSError where it breaks off.
    """
    methods = bytes([NO_LOGIN] if login is None else [NO_LOGIN, WITH_PASSWORD])
    sock.sendall(bytes([VERSION, len(methods)]) + methods)
    version, method = _read(sock, 2)
    if version != VERSION:
        raise ProxyError("it does not speak SOCKS5")
    if method not in methods:
        raise ProxyError("it wants a user name and password", wants_login=login is None)
    if method == WITH_PASSWORD and login:
        _log_in(sock, *login)
    sock.sendall(bytes([VERSION, CONNECT, 0]) + _address(host) + port.to_bytes(2, "big"))
    _, reply, _, kind = _read(sock, 4)
    if reply:
        raise ProxyError(REPLIES.get(reply, f"reply {reply}"))
    # The address from which it connects is of no use to anyone.
    _read(sock, 2 + {IPV4: 4, IPV6: 16}.get(kind, 0) + (_read(sock, 1)[0] if kind == NAME else 0))


def _log_in(sock: socket.socket, username: str, password: str) -> None:
    parts = [part.encode() for part in (username, password)]
    if not all(len(part) <= LONGEST for part in parts) or not parts[0]:
        raise ProxyError("the user name or password for it is empty or too long")
    sock.sendall(b"\x01" + b"".join(bytes([len(part)]) + part for part in parts))
    if _read(sock, 2)[1]:
        raise ProxyError("it does not accept the user name and password")


def _address(host: bytes) -> bytes:
    try:
        address = ip_address(host.decode().partition("%")[0])
    except ValueError:
        if len(host) > LONGEST:
            raise ProxyError("the name of the server is too long for it") from None
        return bytes([NAME, len(host)]) + host
    return bytes([IPV4 if address.version == 4 else IPV6]) + address.packed


def _read(sock: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        data = sock.recv(count - len(found))
        if not data:
            raise ProxyError("it closed the connection")
        found += data
    return found

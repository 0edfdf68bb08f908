"""A real proxy on 127.0.0.1, by CONNECT or SOCKS5, with or without TLS, that leads to one server whatever it is asked for."""

import select
import socket
import ssl
import threading
from base64 import b64encode
from contextlib import suppress
from typing import Self


class LoopbackProxy:
    """`asked` lists the hosts that it was to lead to; `login` (name, password) is wanted where it is given.

    `refuses` is the answer to all, a status line for CONNECT, a reply code for SOCKS5.
    """

    def __init__(
        self,
        scheme: str,
        upstream: int,
        *,
        tls: ssl.SSLContext | None = None,
        login: tuple[str, str] | None = None,
        refuses: str | int = "",
    ) -> None:
        self.asked: list[str] = []
        self._upstream, self._tls, self._login, self._refuses = upstream, tls, login, refuses
        self._greet = self._socks if scheme.startswith("socks") else self._connect
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.port = self._listener.getsockname()[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for sock in (self._listener, *self._open):
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _spawn(self, target, *args) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._spawn(self._serve, self._listener.accept()[0])

    def _serve(self, raw: socket.socket) -> None:
        # A client that goes away in the middle leaves less than was to be read.
        with raw, suppress(OSError, IndexError, ValueError):
            raw.settimeout(5)
            sock = self._tls.wrap_socket(raw, server_side=True) if self._tls else raw
            self._open.append(sock)
            with sock:
                if self._greet(sock):
                    with socket.create_connection(("127.0.0.1", self._upstream), 5) as upstream:
                        self._open.append(upstream)
                        _relay(sock, upstream)

    def _connect(self, sock: socket.socket) -> bool:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += sock.recv(1)
        first, *lines = head.decode().splitlines()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        self.asked.append(first.split()[1])
        answer = self._refuses or "200 OK"
        if self._login:
            wanted = f"Basic {b64encode(':'.join(self._login).encode()).decode()}"
            if headers.get("proxy-authorization") != wanted:
                answer = "407 Proxy Authentication Required"
        sock.sendall(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode())
        return answer == "200 OK"

    def _socks(self, sock: socket.socket) -> bool:
        _, count = sock.recv(2)
        methods = sock.recv(count)
        method = 2 if self._login else 0
        if method not in methods:
            sock.sendall(b"\x05\xff")
            return False
        sock.sendall(bytes([5, method]))
        if self._login:
            name = sock.recv(sock.recv(2)[1])
            password = sock.recv(sock.recv(1)[0])
            right = (name.decode(), password.decode()) == self._login
            sock.sendall(bytes([1, not right]))
            if not right:
                return False
        kind = sock.recv(4)[3]
        host = (
            sock.recv(sock.recv(1)[0]).decode()
            if kind == 3
            else socket.inet_ntop(
                socket.AF_INET if kind == 1 else socket.AF_INET6, sock.recv(4 if kind == 1 else 16)
            )
        )
        self.asked.append(f"{host}:{int.from_bytes(sock.recv(2), 'big')}")
        reply = int(self._refuses or 0)
        # The bound address as a name: the client has to read past it, however long it is.
        sock.sendall(bytes([5, reply, 0]) + (b"\x03\x02ab\0\1" if not reply else b"\x01\0\0\0\0\0\0"))
        return not reply


def _relay(one: socket.socket, other: socket.socket) -> None:
    ways = {one: other, other: one}
    while True:
        # Bytes that TLS has decrypted already make no socket readable.
        waiting = [sock for sock in ways if isinstance(sock, ssl.SSLSocket) and sock.pending()]
        for sock in waiting or select.select(list(ways), [], [], 5)[0]:
            data = sock.recv(65536)
            if not data:
                return
            ways[sock].sendall(data)

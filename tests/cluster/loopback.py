"""A real HTTP server on 127.0.0.1 that answers exactly what a test says, down to the chunk and the reset."""

import io
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple, Self


class Received(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int


class Reply(NamedTuple):
    """`chunks` are sent one by one in chunked encoding, `body` with its length.

    `then`: keep (the connection), close, cut (close without the last chunk), reset, hold (until the server stops),
    drop (close without any answer).
    """

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()
    chunks: Iterable[bytes] | None = None
    then: str = "keep"
    length: int | None = None


Answer = Callable[[Received], Reply]


def reply_json(value: object, status: int = 200, **more: object) -> Reply:
    return Reply(status, json.dumps(value).encode(), **more)


class Loopback:
    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.connections = 0
        self._answer, self._tls = answer, tls
        self._stopped = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._open:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def _spawn(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._spawn(self._serve, raw, self.connections)

    def _serve(self, raw: socket.socket, number: int) -> None:
        with raw:
            raw.settimeout(5)
            try:
                sock = self._tls.wrap_socket(raw, server_side=True) if self._tls else raw
            except OSError:
                return
            self._open.append(sock)
            with sock, suppress(OSError), sock.makefile("rb") as reader:
                while (request := _read_request(reader, number)) is not None:
                    if not request.method:
                        sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                        return
                    self.received.append(request)
                    if not self._send(sock, self._answer(request)):
                        return

    def _send(self, sock: socket.socket, reply: Reply) -> bool:
        if reply.then == "drop":
            return False
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in reply.headers)]
        if reply.chunks is None:
            lines.append(f"Content-Length: {len(reply.body) if reply.length is None else reply.length}")
        else:
            lines.append("Transfer-Encoding: chunked")
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        if reply.chunks is None:
            sock.sendall(reply.body)
        for chunk in reply.chunks or ():
            sock.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        match reply.then:
            case "hold":
                self._stopped.wait(10)
                return False
            case "reset":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            case "cut":
                return False
        if reply.chunks is not None:
            sock.sendall(b"0\r\n\r\n")
        return reply.then == "keep"


def _read_request(reader: io.BufferedReader, number: int) -> Received | None:
    """Give None at the end of the connection, and a request without method for a TLS greeting."""
    if reader.peek(1)[:1] == b"\x16":
        return Received("", "", {}, b"", number)
    first = reader.readline().split()
    if len(first) != 3:
        return None
    headers = {}
    while (line := reader.readline().strip()) != b"":
        name, _, value = line.decode().partition(":")
        # Repeated ones stand on lines of their own.
        headers[name.lower()] = "\n".join(filter(None, (headers.get(name.lower()), value.strip())))
    body = reader.read(int(headers.get("content-length", 0)))
    return Received(first[0].decode(), first[1].decode(), headers, body, number)

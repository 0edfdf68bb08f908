"""A client that costs next to nothing, so that what is measured is the server: prepared bytes over open sockets."""

import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, Self

CONNECTIONS: Final = 4


def rate(address: tuple[str, int], requests: Sequence[Callable[[int], bytes]], seconds: float) -> float:
    """Give requests per second over one connection for each of `requests`, which make the n-th request's bytes.

    Every connection has one request under way at a time. Raises RuntimeError on any answer but 200.
    """
    with ExitStack() as open_sockets:
        lines = [open_sockets.enter_context(Line(address)) for _ in range(len(requests))]
        done, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            for line, request in zip(lines, requests, strict=True):
                line.send(request(done))
            for line in lines:
                line.receive()
            done += 1
        return done * len(lines) / (time.perf_counter() - begun)


class Line:
    """One kept-alive connection."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, request: bytes) -> None:
        self._socket.sendall(request)

    def receive(self) -> bytes:
        """Read one answer with a Content-Length; give its body."""
        answer = self._socket.recv(65536)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._socket.recv(65536)
        head = answer[:end].lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(answer.decode())
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(answer) < end + 4 + length:
            answer += self._socket.recv(65536)
        return answer[end + 4 :]


def request_bytes(method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
    if body:
        head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body

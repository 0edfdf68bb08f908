"""TLS inside TLS: a connection to a server through a proxy that is itself reached by TLS.

Python can put TLS over a socket of the system only, and what a proxy with TLS leads to is none.
"""

import io
import ssl
from typing import Any, Final

CHUNK: Final = 16384


class NestedTls:
    """The part of a socket that an HTTP connection needs; every byte goes through `outer`."""

    def __init__(self, outer: ssl.SSLSocket, context: ssl.SSLContext, name: bytes) -> None:
        self.outer = outer
        self._readers, self._closed = 0, False
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._inner = context.wrap_bio(self._coming, self._going, server_hostname=name)
        self._carry(self._inner.do_handshake)

    def sendall(self, data: bytes) -> None:
        with memoryview(data).cast("B") as view:
            sent = 0
            while sent < len(view):
                sent += self._carry(self._inner.write, view[sent : sent + CHUNK])

    def recv_into(self, buffer: bytearray) -> int:
        try:
            return int(self._carry(self._inner.read, len(buffer), buffer))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return 0

    def makefile(self, _mode: str) -> io.BufferedReader:
        self._readers += 1
        return io.BufferedReader(_Reader(self))

    def settimeout(self, seconds: float | None) -> None:
        self.outer.settimeout(seconds)

    def fileno(self) -> int:
        return self.outer.fileno()

    def close(self) -> None:
        """Close, as a socket does, once nobody reads any more."""
        self._closed = True
        if not self._readers:
            self.outer.close()

    def release(self) -> None:
        self._readers -= 1
        if self._closed:
            self.close()

    def _carry(self, step: Any, *arguments: Any) -> Any:
        """Take a step of the inner TLS, handing bytes to and fro until it is done."""
        while True:
            try:
                result = step(*arguments)
            except ssl.SSLWantReadError:
                self._flush()
                if data := self.outer.recv(CHUNK):
                    self._coming.write(data)
                else:
                    self._coming.write_eof()
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        if data := self._going.read():
            self.outer.sendall(data)


class _Reader(io.RawIOBase):
    def __init__(self, sock: NestedTls) -> None:
        self._sock: NestedTls | None = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._sock.recv_into(buffer) if self._sock else 0

    def close(self) -> None:
        super().close()
        if self._sock:
            sock, self._sock = self._sock, None
            sock.release()

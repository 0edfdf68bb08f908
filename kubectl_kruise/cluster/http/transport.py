"""HTTP to one API server: kept-alive connections, request time-outs, and streams that another thread can close."""

import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, RemoteDisconnected
from typing import Final, cast
from urllib.parse import SplitResult, urlsplit

from kubectl_kruise.cluster.http.failures import CLUSTER_HINT, unreachable
from kubectl_kruise.cluster.port import Request, Response
from kubectl_kruise.errors import UsageError

CONNECT_SECONDS: Final = 30.0
IDLE_CONNECTIONS: Final = 8
CHUNK: Final = 65536

# A kept-alive connection may die between two requests. Only a read may be sent again: a write could have been done.
RESENDABLE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
STALE: Final = (
    RemoteDisconnected,
    ConnectionResetError,
    BrokenPipeError,
    ssl.SSLEOFError,
    ssl.SSLZeroReturnError,
)

Authorize = Callable[[], Mapping[str, str]]
"""Gives the headers that say who asks; called for every request, so that short-lived tokens are fresh."""


class _Connection(HTTPConnection):
    """A connection that verifies `server_name` instead of the address it dials, and notices dead peers."""

    def __init__(
        self, url: SplitResult, tls: ssl.SSLContext | None, server_name: str, timeout: float | None
    ) -> None:
        host = url.hostname or "localhost"
        super().__init__(host, url.port or (443 if tls else 80), timeout=_soonest(timeout, CONNECT_SECONDS))
        self._tls, self._server_name = tls, server_name or host

    def connect(self) -> None:
        # As bytes: of a text, also a plain one, Python asks the IDNA codec, which takes milliseconds to load.
        address = cast("str", _ascii(self.host))  # the socket module takes both
        self.sock = socket.create_connection((address, self.port), self.timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # A watch may be silent for minutes; without probes a vanished server would never be noticed.
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if option := getattr(socket, name, None):
                self.sock.setsockopt(socket.IPPROTO_TCP, option, seconds)
        if self._tls:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=_ascii(self._server_name))


class HttpTransport:
    """Carries requests to `server` (`https://host:port/prefix`); safe for use by many threads.

    `timeout` (seconds, None: none) bounds each request as a whole, and of a stream the wait for its head. Raises
    UnreachableError where no answer comes, with `hint` as what to try.
    """

    def __init__(
        self,
        server: str,
        *,
        tls: ssl.SSLContext | None = None,
        server_name: str = "",
        timeout: float | None = None,
        authorize: Authorize = dict,
        compress: bool = True,
        hint: str = CLUSTER_HINT,
    ) -> None:
        self.server = server
        self._url = _parse_server(server)
        self._prefix = self._url.path.rstrip("/")
        self._tls = (tls or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)) if self._url.scheme == "https" else None
        self._server_name = server_name
        self._timeout = timeout
        self._authorize = authorize
        self._compress = compress
        self._hint = hint
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()

    def send(self, request: Request) -> Response:
        headers = {**request.headers, **self._authorize()}
        if self._compress:
            headers["Accept-Encoding"] = "gzip"
        kept = self._take_idle()
        try:
            if kept is not None:
                try:
                    return self._exchange(kept, request, headers)
                except STALE:
                    if request.method not in RESENDABLE:
                        raise
            return self._exchange(self._connect(), request, headers)
        except (OSError, HTTPException) as error:
            raise unreachable(self.server, error, self._timeout, self._hint) from error

    def open(self, request: Request) -> "HttpStream":
        headers = {**request.headers, **self._authorize()}
        connection = None
        try:
            connection = self._connect()
            sock = connection.sock  # http.client drops it where the answer ends with the connection
            return HttpStream(connection, sock, self._ask(connection, request, headers), self.server)
        except (OSError, HTTPException) as error:
            if connection:
                connection.close()
            raise unreachable(self.server, error, self._timeout, self._hint) from error

    def close(self) -> None:
        """Close the connections that wait for another request."""
        while kept := self._take_idle():
            kept.close()

    def _connect(self) -> _Connection:
        connection = _Connection(self._url, self._tls, self._server_name, self._timeout)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def _ask(self, connection: _Connection, request: Request, headers: Mapping[str, str]) -> HTTPResponse:
        connection.sock.settimeout(_soonest(self._timeout, request.timeout))
        connection.request(request.method, self._prefix + request.target, request.body, dict(headers))
        return connection.getresponse()

    def _exchange(self, connection: _Connection, request: Request, headers: Mapping[str, str]) -> Response:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        sock = connection.sock  # http.client drops it where the answer ends with the connection
        try:
            answer = self._ask(connection, request, headers)
            body = answer.read() if deadline is None else _read_until(sock, answer, deadline)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return Response(answer.status, _lower(answer), _unpack(answer, body))

    def _take_idle(self) -> _Connection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            # Between two requests a server has nothing to say: a readable connection is one it has closed.
            if connection.sock and not _readable(connection.sock):
                return connection
            connection.close()

    def _keep(self, connection: _Connection) -> None:
        with self._lock:
            if len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


class HttpStream:
    """An open answer read line by line; `close` may be called from any thread and ends `lines`."""

    def __init__(
        self, connection: _Connection, sock: socket.socket, response: HTTPResponse, server: str
    ) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = _lower(response)
        self._connection, self._socket, self._response, self._server = connection, sock, response, server
        self._closed = False
        self._reading = threading.Lock()  # http.client cannot be closed under a reader's feet
        sock.settimeout(None)

    def lines(self) -> Iterator[bytes]:
        """Yield whole lines; a last one without newline counts only in an error's body, never in a watch.

        Raises UnreachableError where the answer breaks off.
        """
        pending = b""
        while data := self._read():
            # Split the bytes first: a border between two chunks may cut a character in two.
            *whole, pending = (pending + data).split(b"\n")
            yield from (line for line in whole if line.strip())
        if pending and self.status >= 400:
            yield pending

    def close(self) -> None:
        self._closed = True
        with suppress(OSError):
            # Past the TLS layer: it wakes a reader that is blocked in another thread.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        with self._reading:
            self._response.close()
            self._connection.close()

    def _read(self) -> bytes:
        try:
            with self._reading:
                return b"" if self._closed else self._response.read1(CHUNK)
        except (OSError, HTTPException, ValueError) as error:
            if self._closed:
                return b""
            raise unreachable(self._server, error, None) from error


def _parse_server(server: str) -> SplitResult:
    try:
        url = urlsplit(server)
        usable = url.scheme in {"http", "https"} and url.hostname and (url.port or 1)
    except ValueError as error:
        raise UsageError(f"the server address {server!r} is not a URL", cause=str(error)) from error
    if not usable:
        raise UsageError(f"the server address {server!r} is not an http or https URL")
    return url


def _readable(sock: socket.socket) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()  # select() knows file descriptors up to 1023 only
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _read_until(sock: socket.socket, answer: HTTPResponse, deadline: float) -> bytes:
    """Read the body, however slowly it drips, up to a deadline on the monotonic clock."""
    parts: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the body took too long")
        sock.settimeout(left)
        data = answer.read1(CHUNK)
        if not data:
            break
        parts.append(data)
    if answer.length:
        raise ConnectionResetError("the answer broke off")
    answer.close()  # read1 leaves an answer of known length open, and the connection then takes no other request
    return b"".join(parts)


def _lower(answer: HTTPResponse) -> dict[str, str]:
    """Give the headers with names in lower case; repeated ones joined by commas (RFC 9110 §5.3)."""
    found: dict[str, str] = {}
    for name, value in answer.getheaders():
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _unpack(answer: HTTPResponse, body: bytes) -> bytes:
    if answer.getheader("Content-Encoding", "") != "gzip":
        return body
    import zlib

    try:
        return zlib.decompress(body, wbits=31)
    except zlib.error as error:
        raise HTTPException(f"gzip: {error}") from error


def _ascii(host: str) -> bytes:
    return host.encode("ascii") if host.isascii() else host.encode("idna")


def _soonest(*bounds: float | None) -> float | None:
    return min((bound for bound in bounds if bound is not None), default=None)

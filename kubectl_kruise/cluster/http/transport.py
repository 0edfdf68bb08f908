"""HTTP to one API server: kept-alive connections, request time-outs, and streams that another thread can close."""

import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException, HTTPResponse, RemoteDisconnected
from typing import Final

from kubectl_kruise.cluster.http.connecting import CONNECT_SECONDS, Connection, Route
from kubectl_kruise.cluster.http.failures import CLUSTER_HINT, ProxyError, unreachable
from kubectl_kruise.cluster.port import Request, Response

UNAUTHORIZED: Final = 401
PROXY_LOGIN: Final = 407
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


Renew = Callable[[Mapping[str, str]], bool]
"""Is told which headers a server did not accept; says whether `Authorize` gives others now."""


def never(_refused: Mapping[str, str]) -> bool:
    """Say that there are no other headers to be had."""
    return False


class HttpTransport:
    """Carries requests to the server of `route`; safe for use by many threads.

    `timeout` (seconds, None: none) bounds each request as a whole, and of a stream the wait for its head. `always` are
    headers of every request, of which some may repeat. Raises UnreachableError where no answer comes, with `hint` as
    what to try.
    """

    def __init__(
        self,
        route: Route,
        *,
        timeout: float | None = None,
        authorize: Authorize = dict,
        renew: Renew = never,
        always: Sequence[tuple[str, str]] = (),
        compress: bool = True,
        hint: str = CLUSTER_HINT,
    ) -> None:
        self.server = route.url.geturl()
        self._route = route
        # Whoever is given a whole request has to be told whose it is.
        self._prefix = self.server if route.relayed else route.url.path
        self._timeout = timeout
        self._authorize, self._renew = authorize, renew
        self._always = [
            *always,
            *(route.proxy.authorization.items() if route.proxy and route.relayed else ()),
        ]
        if compress:
            self._always.append(("Accept-Encoding", "gzip"))
        self._hint = hint
        self._idle: list[Connection] = []
        self._closed = False
        self._lock = threading.Lock()

    def send(self, request: Request) -> Response:
        sent = self._authorize()
        answer = self._send(request, sent)
        # What was refused was not done, so that a write may be sent again too.
        if answer.status == UNAUTHORIZED and self._renew(sent):
            answer = self._send(request, self._authorize())
        return answer

    def open(self, request: Request) -> "HttpStream":
        sent = self._authorize()
        stream = self._open(request, sent)
        if stream.status == UNAUTHORIZED and self._renew(sent):
            stream.close()
            stream = self._open(request, self._authorize())
        return stream

    def close(self) -> None:
        """Close the connections that wait for another request, and keep none from now on."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _send(self, request: Request, who: Mapping[str, str]) -> Response:
        try:
            kept = self._take_idle()
            if kept is not None:
                try:
                    return self._exchange(kept, request, who)
                except STALE:
                    if request.method not in RESENDABLE:
                        raise
            return self._exchange(self._connect(), request, who)
        except (OSError, HTTPException) as error:
            raise unreachable(self.server, error, self._timeout, self._hint) from error

    def _open(self, request: Request, who: Mapping[str, str]) -> "HttpStream":
        connection = None
        try:
            connection = self._connect()
            sock = connection.sock  # http.client drops it where the answer ends with the connection
            return HttpStream(connection, sock, self._ask(connection, request, who), self.server)
        except (OSError, HTTPException) as error:
            if connection:
                connection.close()
            raise unreachable(self.server, error, self._timeout, self._hint) from error

    def _connect(self) -> Connection:
        context = self._route.tls() if self._route.tls else None
        connection = Connection(self._route, context, _soonest(self._timeout, CONNECT_SECONDS))
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def _ask(self, connection: Connection, request: Request, who: Mapping[str, str]) -> HTTPResponse:
        connection.sock.settimeout(_soonest(self._timeout, request.timeout))
        connection.putrequest(request.method, self._prefix + request.target, skip_accept_encoding=True)
        for name, value in (*request.headers.items(), *who.items(), *self._always):
            # Go sends what is not ASCII as UTF-8.
            connection.putheader(name, value.encode())
        if request.body is not None:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        answer = connection.getresponse()
        if answer.status == PROXY_LOGIN and self._route.proxy and self._route.relayed:
            refused = ProxyError(
                "it does not let this user through", wants_login=self._route.proxy.login is None
            )
            refused.proxy = self._route.proxy.address
            answer.close()
            raise refused
        return answer

    def _exchange(self, connection: Connection, request: Request, who: Mapping[str, str]) -> Response:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        sock = connection.sock  # http.client drops it where the answer ends with the connection
        try:
            # Closed also where the reading fails: an answer that ends with the connection keeps the socket open.
            with self._ask(connection, request, who) as answer:
                body = answer.read() if deadline is None else _read_until(sock, answer, deadline)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return Response(answer.status, _lower(answer), _unpack(answer, body))

    def _take_idle(self) -> Connection | None:
        context = self._route.tls() if self._route.tls else None
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            # Between two requests a server has nothing to say: a readable connection is one it has closed. One made
            # with a client certificate that has been replaced since is of no more use either.
            if connection.sock and connection.context is context and not _readable(connection.sock):
                return connection
            connection.close()

    def _keep(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


class HttpStream:
    """An open answer read line by line; `close` may be called from any thread and ends `lines`."""

    def __init__(
        self, connection: Connection, sock: socket.socket, response: HTTPResponse, server: str
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
            # Past all TLS layers: it wakes a reader that is blocked in another thread.
            socket.socket.shutdown(getattr(self._socket, "outer", self._socket), socket.SHUT_RDWR)
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


def _soonest(*bounds: float | None) -> float | None:
    return min((bound for bound in bounds if bound is not None), default=None)

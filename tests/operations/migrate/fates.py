"""What may befall a request: the process dies at it, the server fails, an answer is lost, another one was quicker."""

import json
from http import HTTPStatus
from typing import NoReturn

from kubectl_kruise.cluster.port import Request, Response, Transport
from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.sandbox.embedded import Sandbox
from tests.operations.migrate.forks import Fate, writes


class KilledError(BaseException):
    """The process is gone: nothing after this line runs, no handler either."""


def _die(_inner: Transport, _request: Request) -> NoReturn:
    raise KilledError


def _die_after(inner: Transport, request: Request) -> NoReturn:
    inner.send(request)
    raise KilledError


class News:
    """Whether the cluster has changed since the last death: who dies twice in one state leaves the same behind."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._store = sandbox.server.store
        self._last = -1

    def __call__(self, _request: Request) -> bool:
        news = self._store.version != self._last
        self._last = self._store.version
        return news


def kills(sandbox: Sandbox) -> tuple[Fate, Fate]:
    """Give the deaths of a process: before a request, wherever something is new, and after one that changes anything."""
    return Fate("before", _die, News(sandbox)), Fate("after", _die_after, writes)


def _answer(code: HTTPStatus, reason: str, message: str) -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message}
    headers = {"content-type": "application/json"}
    return Response(code, headers, json.dumps({**status, "code": code}).encode())


def _failed(_inner: Transport, _request: Request) -> Response:
    return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", "etcdserver: leader changed")


def _broken(_inner: Transport, _request: Request) -> NoReturn:
    raise UnreachableError("the connection was refused")


def _done_without_answer(inner: Transport, request: Request) -> Response:
    """Carry it out; patches are answered by a proxy that waited too long, of the others the connection breaks off."""
    inner.send(request)
    if request.method == "PATCH":
        return _answer(HTTPStatus.GATEWAY_TIMEOUT, "Timeout", "the server was unable to answer in time")
    raise UnreachableError("the connection was closed before an answer came")


def _raced(_inner: Transport, _request: Request) -> Response:
    return _answer(HTTPStatus.CONFLICT, "Conflict", "the object has been modified")


def _guarded(request: Request) -> bool:
    """Say whether a request can lose a race: one that names a version, or a pod's patch that meets another."""
    return writes(request) and (b"resourceVersion" in (request.body or b"") or "/pods/" in request.target)


class Reads:
    """Reads of one path after one write are all alike: the first of them stands for the others."""

    def __init__(self) -> None:
        self._after, self._seen = "", set[tuple[str, str]]()

    def __call__(self, request: Request) -> bool:
        path = request.target.partition("?")[0]
        if writes(request):
            self._after = path
            return False
        news = (self._after, path) not in self._seen
        self._seen.add((self._after, path))
        return news


FAULTS = (
    Fate("failed", _failed, writes),
    Fate("done, without an answer", _done_without_answer, writes),
    Fate("raced", _raced, _guarded),
)


def faults() -> tuple[Fate, ...]:
    """Give everything that may befall a request of one run."""
    return Fate("broken", _broken, Reads()), *FAULTS

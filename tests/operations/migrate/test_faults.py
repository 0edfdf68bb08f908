"""A single failure at any request does not end a run, whatever became of the request (migration.md §4.2)."""

import json
from http import HTTPStatus
from typing import NoReturn

import pytest

from kubectl_kruise.cluster.port import Request, Response, Transport
from kubectl_kruise.errors import KruiseError, UnreachableError
from tests.operations.migrate.forks import Fate, Fateful, Forks, writes
from tests.operations.migrate.walks import WALKS, connect


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


class _Reads:
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


@pytest.mark.parametrize("walk", WALKS)
def test_one_failure_is_survived(walk: str) -> None:
    """Before the first write it may end the run, for then nothing has happened."""
    begin, act, owners = WALKS[walk]
    world = begin()
    before = world.marks(), world.everything()
    fates = Fate("broken", _broken, _Reads()), *FAULTS
    with Forks() as forks:
        try:
            act(world, connect(world, Fateful(world.cluster._transport, forks, fates)))
        except KruiseError:
            if world.everything() != before[1]:
                raise
            act(world, world.cluster)
        world.sandbox.run(20)
        assert (world.marks(), world.owners()) == (before[0], owners)
    assert forks.count > 30

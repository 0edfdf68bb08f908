"""Everything that may go wrong between a controller and its server, by chance but repeatable."""

import json
import random
import threading
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Request, Response, Stream, Transport
from kubectl_kruise.errors import UnreachableError


class Odds(NamedTuple):
    """Chances between 0 and 1, per request, stream or line."""

    refused: float = 0.0
    """A request is answered 409 (writes to something that exists), 500 or 503, and not carried out."""
    failed: float = 0.0
    """A write is carried out, and then answered 500."""
    lost: float = 0.0
    """A request gets no answer; half of them are carried out."""
    stale: float = 0.0
    """A collection's watch has nothing to say for a span of two seconds, whatever happens."""
    cut: float = 0.0
    """A watch ends after any of its events."""
    expired: float = 0.0
    """A watch is answered 410."""
    twice: float = 0.0
    """An event comes again, with those behind it in between."""
    swapped: float = 0.0
    """An event comes after the one behind it."""


SPAN = 2.0


class Troubled:
    """A transport with the misfortunes of `odds`."""

    def __init__(self, inner: Transport, clock: Clock, odds: Odds, seed: int) -> None:
        self.odds = odds
        self._inner, self._clock, self._chance = inner, clock, random.Random(seed)
        self._silent: dict[tuple[str, int], bool] = {}

    def send(self, request: Request) -> Response:
        if self._happens(self.odds.refused):
            codes = [409, 500, 503] if request.method in ("PUT", "PATCH") else [500, 503]
            return _failure(self._chance.choice(codes))
        lost = self._happens(self.odds.lost)
        if lost and self._happens(0.5):
            raise UnreachableError("no connection")
        response = self._inner.send(request)
        if lost:
            raise UnreachableError("the connection broke")
        if request.method != "GET" and self._happens(self.odds.failed):
            return _failure(500)
        return response

    def open(self, request: Request) -> Stream:
        if self._happens(self.odds.lost):
            raise UnreachableError("no connection")
        if self._happens(self.odds.expired):
            return _Stream(410, [_status(410, "Expired")])
        if self.odds.stale and self._stale(request.target.partition("?")[0]):
            return _Stream(200, [])
        stream = self._inner.open(request)
        if stream.status != 200:
            return stream
        lines = list(stream.lines())
        if lines and self._happens(self.odds.cut):
            lines = lines[: self._chance.randrange(len(lines))]
        return _Stream(200, self._shuffled(lines))

    def close(self) -> None:
        self._inner.close()

    def _stale(self, path: str) -> bool:
        span = path, int(self._clock.monotonic() / SPAN)
        if span not in self._silent:
            before = path, span[1] - 1
            self._silent[span] = not self._silent.get(before) and self._happens(self.odds.stale)
        return self._silent[span]

    def _shuffled(self, lines: list[bytes]) -> list[bytes]:
        for at in range(1, len(lines)):
            if self._happens(self.odds.swapped):
                lines[at - 1], lines[at] = lines[at], lines[at - 1]
        for at in range(len(lines), 0, -1):
            if self._happens(self.odds.twice):
                lines.insert(self._chance.randint(at, len(lines)), lines[at - 1])
        return lines

    def _happens(self, odds: float) -> bool:
        return self._chance.random() < odds


class _Stream:
    def __init__(self, status: int, lines: list[bytes]) -> None:
        self.status, self.headers = status, {}
        self._lines = lines

    def lines(self) -> Iterator[bytes]:
        yield from self._lines

    def close(self) -> None:
        """Nothing is held."""


class Skewed:
    """The wall clock of one machine, which somebody sets; time itself passes as everywhere."""

    def __init__(self, inner: Clock) -> None:
        self._inner = inner
        self.skew = 0.0

    def time(self) -> float:
        return self._inner.time() + self.skew

    def monotonic(self) -> float:
        return self._inner.monotonic()

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        self._inner.wait(condition, seconds)


def _failure(code: int) -> Response:
    reasons = {409: "Conflict", 500: "InternalError", 503: "ServiceUnavailable"}
    return Response(code, {"content-type": "application/json"}, _status(code, reasons[code]))


def _status(code: int, reason: str) -> bytes:
    body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "by bad luck"}
    return json.dumps(body).encode()

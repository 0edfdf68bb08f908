"""One run that goes on in many ways: wherever something may happen, a copy of the process lives through it.

What leads to that point is played once, whatever the number of ways. `test_kills` and `test_faults` walk like this.
"""

import gc
import os
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import NamedTuple, Self

from kubectl_kruise.cluster.port import Request, Response, Stream, Transport

AT_ONCE = 2


class Fate(NamedTuple):
    """Something that may happen to a request: `befall` gets it, and the transport that would carry it out."""

    name: str
    befall: Callable[[Transport, Request], Response]
    matters: Callable[[Request], bool] = lambda _: True


class Forks:
    """The copies of this process. Leaving the context ends a copy, and in the original waits for all of them."""

    def __init__(self) -> None:
        self.inside = ""
        """What happens in this copy, "" in the original."""
        self.count = 0
        self._running: dict[int, tuple[int, str]] = {}
        self._failures: list[str] = []

    def branch(self, name: str) -> bool:
        """Say True in a copy, and False here, where nothing of it happens."""
        if self.inside:
            return False
        while len(self._running) >= AT_ONCE:
            self._collect()
        self.count += 1
        reading, writing = os.pipe()
        if pid := os.fork():
            os.close(writing)
            self._running[pid] = (reading, name)
            return False
        os.close(reading)
        gc.disable()  # a copy is short-lived: looking through all its memory would cost more than it frees
        self.inside, self._answer = name, writing
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.inside:
            told = "" if error is None else "".join(traceback.format_exception(error)[-6:])
            os.write(self._answer, told.encode()[-60_000:])
            os._exit(0)
        while self._running:
            self._collect()
        if error is None and self._failures:
            raise AssertionError(f"{len(self._failures)} of {self.count}:\n" + "\n".join(self._failures[:5]))

    def _collect(self) -> None:
        """Hear the oldest copy out."""
        pid, (reading, name) = next(iter(self._running.items()))
        with os.fdopen(reading, "rb") as pipe:
            told = pipe.read().decode()
        _, code = os.waitpid(pid, 0)
        del self._running[pid]
        if told or code:
            self._failures.append(f"{name}: {told or code}")


class Fateful:
    """A transport on whose requests fates fall, each in a copy of its own, and in no copy more than one."""

    def __init__(self, inner: Transport, forks: Forks, fates: Iterable[Fate]) -> None:
        self._inner, self._forks, self._fates = inner, forks, tuple(fates)
        self.sent = 0

    def send(self, request: Request) -> Response:
        self.sent += 1
        for fate in self._fates:
            where = f"{self.sent} {request.method} {request.target.split('?')[0]} {fate.name}"
            if fate.matters(request) and self._forks.branch(where):
                return fate.befall(self._inner, request)
        return self._inner.send(request)

    def open(self, request: Request) -> Stream:
        return self._inner.open(request)

    def close(self) -> None:
        """Leave the server to the others."""


def writes(request: Request) -> bool:
    """Say whether a request changes anything: after one that does not, everything is as before it."""
    return request.method != "GET" and "dryRun" not in request.target

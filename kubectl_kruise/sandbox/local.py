"""The sandbox as a transport: requests go straight into the handler, in the caller's thread."""

import threading
from collections.abc import Iterator, Mapping

from kubectl_kruise.cluster.port import Request, Response
from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.sandbox.api.content.answers import Answer
from kubectl_kruise.sandbox.handler import Handler


class LocalStream:
    """An open answer. A watch gives what is pending and ends; nobody waits for what has not happened."""

    def __init__(self, answer: Answer, lock: threading.RLock) -> None:
        self.status = answer.code
        self.headers = _flat(answer)
        self._answer, self._lock = answer, lock
        self._closed = False

    def lines(self) -> Iterator[bytes]:
        """Give whole lines without their ends."""
        watch, left = self._answer.watch, self._answer.fate.cut_after
        if watch is None:
            yield from self._answer.body.splitlines()
            return
        while not self._closed:
            with self._lock:
                pending = watch.pull()
            if not pending:
                return
            for line in pending.splitlines():
                if self._closed or left == 0:
                    return
                left = None if left is None else left - 1
                yield line

    def close(self) -> None:
        self._closed = True


class LocalTransport:
    """Carries requests to a handler in this process; one at a time, from whichever thread."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._lock = threading.RLock()

    def send(self, request: Request) -> Response:
        answer = self._answer(request)
        return Response(answer.code, _flat(answer), answer.body)

    def open(self, request: Request) -> LocalStream:
        return LocalStream(self._answer(request), self._lock)

    def close(self) -> None:
        """Nothing is kept between two requests."""

    def _answer(self, request: Request) -> Answer:
        with self._lock:
            answer = self._handler.handle(request)
        if answer.fate.drop:
            raise UnreachableError("the sandbox dropped the connection", cause="a fault was injected")
        return answer


def _flat(answer: Answer) -> Mapping[str, str]:
    """Give headers with one value each; several values stand in one line, as HTTP allows."""
    return {
        name: value if isinstance(value, str) else ", ".join(value) for name, value in answer.headers.items()
    }

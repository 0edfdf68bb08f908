"""Ctrl-C during a migration: the first lets the request under way end, the second leaves at once (cli.md §3.7)."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from kubectl_kruise.errors import StoppedError

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class Stop:
    """Whether the user wants to stop, and how."""

    def __init__(self) -> None:
        self.number = 0

    def check(self) -> None:
        """Raise StoppedError where a signal has come; called between two requests, from any thread."""
        if self.number:
            raise StoppedError(self.number)

    def take(self, number: int, _frame: FrameType | None = None) -> None:
        if self.number:
            # Threads may wait for a server that does not answer; nobody waits for them any more.
            os.write(2, b"\nleft at once; what was begun can be resumed\n")
            os._exit(128 + number)
        self.number = number
        os.write(2, b"\nstopping after the present request; again to leave at once\n")


@contextmanager
def listening() -> Iterator[Stop]:
    """Take the signals that end a process, as long as this lasts; only the main thread can."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    former = {number: signal.signal(number, stop.take) for number in numbers}
    try:
        yield stop
    finally:
        sys.stderr.flush()
        for number, handler in former.items():
            signal.signal(number, handler)

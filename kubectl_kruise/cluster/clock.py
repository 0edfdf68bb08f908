"""Time as a dependency: controllers, kubelet and server ask a clock, so that a replay runs a minute in milliseconds."""

import threading
import time
from typing import Protocol


class Clock(Protocol):
    def time(self) -> float:
        """Give seconds since the epoch: what is written into objects and compared with what stands there."""

    def monotonic(self) -> float:
        """Give seconds on a scale that no setting of the clock moves: what waits and deadlines are measured by."""

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        """Wait on a held condition, at most `seconds` (None: until notified)."""


class SystemClock:
    """Wall-clock time."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        condition.wait(seconds)


class VirtualClock:
    """Time that moves only when told to."""

    def __init__(self, start: float = 1_767_225_600.0) -> None:
        self._now = start

    def time(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        """Never sleeps: under a virtual clock nobody else is there to wait for."""

    def advance(self, seconds: float) -> None:
        self._now += seconds

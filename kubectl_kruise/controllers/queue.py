"""A work queue with client-go's promises: one worker per key, repeats folded, delays and back-off by an injected clock."""

import heapq
import threading
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock

FIRST_BACKOFF = 0.005
LONGEST_BACKOFF = 30.0


class Key(NamedTuple):
    """Namespace and name of the object to look at; the namespace is "" for cluster-scoped kinds."""

    namespace: str
    name: str


class Queue:
    """Keys that want a reconcile, oldest first. Every method may be called from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._ready: dict[Key, None] = {}
        self._active: set[Key] = set()
        self._again: set[Key] = set()
        self._later: list[tuple[float, int, Key]] = []
        self._sequence = 0
        self._failures: dict[Key, int] = {}
        self._closed = False

    def add(self, key: Key) -> None:
        with self._changed:
            self._add(key)
            self._changed.notify()

    def add_after(self, key: Key, seconds: float) -> None:
        if seconds <= 0:
            self.add(key)
            return
        with self._changed:
            self._sequence += 1
            heapq.heappush(self._later, (self._clock.time() + seconds, self._sequence, key))
            self._changed.notify()

    def add_limited(self, key: Key) -> None:
        """Add after a back-off that doubles with every call until `forget`: 5 ms to 30 s."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.add_after(key, min(FIRST_BACKOFF * 2**failures, LONGEST_BACKOFF))

    def forget(self, key: Key) -> None:
        self._failures.pop(key, None)

    def take(self, *, block: bool = True) -> Key | None:
        """Give the next key and hold it until `done`; None when closed, or when nothing is due and not `block`."""
        with self._changed:
            while not self._closed:
                self._promote()
                if self._ready:
                    key = next(iter(self._ready))
                    del self._ready[key]
                    self._active.add(key)
                    return key
                if not block:
                    return None
                due = self._later[0][0] - self._clock.time() if self._later else None
                self._clock.wait(self._changed, due)
            return None

    def done(self, key: Key) -> None:
        with self._changed:
            self._active.discard(key)
            if key in self._again:
                self._again.discard(key)
                self._ready[key] = None
            self._changed.notify()

    def next_due(self) -> float | None:
        """Give the time (epoch seconds) at which something is due, None for an idle queue."""
        with self._changed:
            if self._ready:
                return self._clock.time()
            return self._later[0][0] if self._later else None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _add(self, key: Key) -> None:
        if key in self._active:
            self._again.add(key)
        else:
            self._ready.setdefault(key)

    def _promote(self) -> None:
        now = self._clock.time()
        while self._later and self._later[0][0] <= now:
            self._add(heapq.heappop(self._later)[2])

"""A work queue with client-go's promises: one worker per key, repeats folded, delays and back-off by an injected clock."""

import heapq
import threading
from typing import NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of

FIRST_BACKOFF = 0.005
LONGEST_BACKOFF = 30.0
DOUBLINGS = 13
"""Enough to get from the first back-off to the longest; a power of all failures would overflow after some hours."""


LONGEST_REST = 0.25
"""Seconds; a look that took long had mostly to wait for the server."""


class Key(NamedTuple):
    """Namespace and name of the object to look at; the namespace is "" for cluster-scoped kinds."""

    namespace: str
    name: str


def key_of(raw: Raw) -> Key:
    return Key(namespace_of(raw), name_of(raw))


def backoff_seconds(failures: int) -> float:
    """Give the wait before another attempt after so many failures in a row: 5 ms, doubling to 30 s."""
    return min(FIRST_BACKOFF * (1 << min(failures, DOUBLINGS)), LONGEST_BACKOFF)


class Queue:
    """Keys that want a reconcile, oldest first. Every method may be called from any thread."""

    def __init__(self, clock: Clock, *, rest: float = 0.0) -> None:
        """Make an empty queue; after each look a key rests for `rest` times as long as the look took.

        For looks that cost the more the larger the object is, at objects about which there is much news.
        """
        self._clock, self._rest = clock, rest
        self._began: dict[Key, float] = {}
        self._rested: dict[Key, float] = {}
        self._changed = threading.Condition()
        self._ready: dict[Key, None] = {}
        self._active: set[Key] = set()
        self._again: set[Key] = set()
        self._later: list[tuple[float, int, Key]] = []
        self._due: dict[Key, float] = {}
        self._sequence = 0
        self._failures: dict[Key, int] = {}
        self._closed = False

    def add(self, key: Key) -> None:
        with self._changed:
            self._add(key)
            self._changed.notify()

    def add_after(self, key: Key, seconds: float) -> None:
        """Add when `seconds` have passed; of several times for one key the earliest counts, as the others follow it."""
        if seconds <= 0:
            self.add(key)
            return
        with self._changed:
            self._add_at(key, self._clock.monotonic() + seconds)
            self._changed.notify()

    def add_limited(self, key: Key) -> None:
        """Add after a back-off that doubles with every call until `forget`: 5 ms to 30 s."""
        with self._changed:
            failures = self._failures.get(key, 0)
            self._failures[key] = min(failures + 1, DOUBLINGS)
        self.add_after(key, backoff_seconds(failures))

    def forget(self, key: Key) -> None:
        with self._changed:
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
                    self._began[key] = self._clock.monotonic()
                    if self._ready or self._later:
                        # Whoever waited for the next timer is busy from now on: somebody else has to.
                        self._changed.notify()
                    return key
                if not block:
                    return None
                due = self._later[0][0] - self._clock.monotonic() if self._later else None
                self._clock.wait(self._changed, due)
            return None

    def done(self, key: Key) -> None:
        with self._changed:
            self._active.discard(key)
            now = self._clock.monotonic()
            rest = min((now - self._began.pop(key, now)) * self._rest, LONGEST_REST)
            if rest > 0:
                self._rested[key] = now + rest
            if key in self._again:
                self._again.discard(key)
                self._add(key)
            self._changed.notify()

    def next_due(self) -> float | None:
        """Give the monotonic time at which something is due, None for an idle queue."""
        with self._changed:
            self._promote()
            if self._ready:
                return self._clock.monotonic()
            return self._later[0][0] if self._later else None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _add(self, key: Key) -> None:
        if key in self._active:
            self._again.add(key)
            return
        rested = self._rested.get(key)
        if rested is not None and rested > self._clock.monotonic():
            self._add_at(key, rested)
            return
        self._rested.pop(key, None)
        self._ready.setdefault(key)

    def _add_at(self, key: Key, due: float) -> None:
        if key in self._due and self._due[key] <= due:
            return
        self._due[key] = due
        self._sequence += 1
        heapq.heappush(self._later, (due, self._sequence, key))

    def _promote(self) -> None:
        now = self._clock.monotonic()
        while self._later and (self._later[0][0] <= now or self._superseded(self._later[0])):
            entry = heapq.heappop(self._later)
            if not self._superseded(entry):
                del self._due[entry[2]]
                self._add(entry[2])

    def _superseded(self, entry: tuple[float, int, Key]) -> bool:
        """Say whether an earlier time has come for the key after this one."""
        due, _, key = entry
        return self._due.get(key) != due

"""Pods created and deleted that the cache does not show yet: no decision is taken on such a cache.

Creations are counted, since the server chooses the pods' names.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.controllers.queue import Key

TIMEOUT: Final = 300.0


@dataclass(slots=True)
class _Awaited:
    since: float
    creations: int = 0
    deletions: set[str] = field(default_factory=set)


class Expectations:
    """By owner's key: how many creations and which deletions (uids) are still to be seen; given up after 5 minutes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._awaited: dict[Key, _Awaited] = {}
        self._lock = threading.Lock()

    def expect_creations(self, key: Key, count: int) -> None:
        """Announce creations, before they are sent: their events may come first."""
        with self._lock:
            self._of(key).creations += count

    def expect_deletions(self, key: Key, uids: Iterable[str]) -> None:
        with self._lock:
            self._of(key).deletions.update(uids)

    def created(self, key: Key, count: int = 1) -> None:
        """Take off creations that were seen, or that failed."""
        with self._lock:
            if (awaited := self._awaited.get(key)) is not None:
                awaited.creations = max(0, awaited.creations - count)

    def deleted(self, key: Key, uid: str) -> None:
        """Take off a deletion that was seen, or that failed."""
        with self._lock:
            if (awaited := self._awaited.get(key)) is not None:
                awaited.deletions.discard(uid)

    def met(self, key: Key) -> bool:
        """Say whether the cache shows all that was done, or has had time enough to."""
        with self._lock:
            awaited = self._awaited.get(key)
            if awaited is None:
                return True
            if (awaited.creations or awaited.deletions) and self._clock.monotonic() - awaited.since < TIMEOUT:
                return False
            del self._awaited[key]
            return True

    def forget(self, key: Key) -> None:
        with self._lock:
            self._awaited.pop(key, None)

    def _of(self, key: Key) -> _Awaited:
        return self._awaited.setdefault(key, _Awaited(self._clock.monotonic()))

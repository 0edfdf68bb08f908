"""What a controller has written and not yet seen come back through its watches (cloneset.md §24.2, §24.3)."""

import threading
from typing import Final, NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.objects.raw import Raw, uid_of, version_number

EXPECTATION_SECONDS: Final = 300.0


class Expected(NamedTuple):
    """`action` is `create` or `delete`; `plural` and `name` tell the object."""

    action: str
    plural: str
    name: str


class ScaleExpectations:
    """Objects whose creation or deletion is still to be seen, per owner; the owner waits until none is left."""

    def __init__(self, clock: Clock, patience: float = EXPECTATION_SECONDS) -> None:
        self._clock, self._patience = clock, patience
        self._lock = threading.Lock()
        self._pending: dict[Key, dict[Expected, None]] = {}
        self._since: dict[Key, float] = {}

    def expect(self, owner: Key, expected: Expected) -> None:
        """Register before the request is sent, since the answer may come later than the event."""
        with self._lock:
            self._pending.setdefault(owner, {})[expected] = None

    def observe(self, owner: Key, expected: Expected) -> bool:
        """Strike out what was seen, or what failed; say whether it was expected."""
        with self._lock:
            pending = self._pending.get(owner, {})
            found = expected in pending
            pending.pop(expected, None)
            if not pending:
                self._pending.pop(owner, None)
                self._since.pop(owner, None)
            return found

    def forget(self, owner: Key) -> None:
        with self._lock:
            self._pending.pop(owner, None)
            self._since.pop(owner, None)

    def wait(self, owner: Key) -> float | None:
        """Give the seconds that may still be waited, 0 where the time is over, None where nothing is expected."""
        with self._lock:
            if owner not in self._pending:
                return None
            now = self._clock.monotonic()
            return max(0.0, self._since.setdefault(owner, now) + self._patience - now)

    def pending(self, owner: Key) -> list[Expected]:
        with self._lock:
            return list(self._pending.get(owner, {}))

    def renew(self, owner: Key) -> None:
        """Let the time begin anew."""
        with self._lock:
            self._since.pop(owner, None)


class VersionExpectations:
    """The version of each object as last written here; a cached copy older than that must not be acted on."""

    def __init__(self, clock: Clock, patience: float = EXPECTATION_SECONDS) -> None:
        self._clock, self._patience = clock, patience
        self._lock = threading.Lock()
        self._written: dict[str, tuple[int, float]] = {}

    def expect(self, written: Raw) -> None:
        now = self._clock.monotonic()
        with self._lock:
            self._written.pop(uid_of(written), None)
            self._written[uid_of(written)] = (version_number(written), now)
            # Objects that went before the answer to their last write are never asked for again.
            while self._written[oldest := next(iter(self._written))][1] < now - self._patience:
                del self._written[oldest]

    def forget(self, raw: Raw) -> None:
        with self._lock:
            self._written.pop(uid_of(raw), None)

    def expected(self, raw: Raw) -> bool:
        """Say whether the object was written here and has not been asked for since its new version came."""
        with self._lock:
            return uid_of(raw) in self._written

    def wait(self, cached: Raw) -> float | None:
        """Give the seconds that may still be waited for a newer copy, None where `cached` is new enough."""
        with self._lock:
            expected = self._written.get(uid_of(cached))
            if expected is None:
                return None
            version, since = expected
            left = since + self._patience - self._clock.monotonic()
            if version_number(cached) >= version or left <= 0:
                del self._written[uid_of(cached)]
                return None
            return left

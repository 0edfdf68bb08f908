"""How many events one object may cause: a burst, then one every few minutes, as client-go allows them."""

import threading
from typing import Final

from kubectl_kruise.cluster.clock import Clock

BURST: Final = 25.0
REFILL_SECONDS: Final = 300.0
REMEMBERED: Final = 4096


class EventBudget:
    """Two token buckets per object: a rollout of a thousand pods must not write a thousand events.

    What is said again has a bucket of its own, so that it cannot keep what is new from being said.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[tuple[str, bool], tuple[float, float]] = {}

    def spend(self, uid: str, *, again: bool = False) -> bool:
        """Take a token of the object with this uid; False where it has none left."""
        bucket = uid, again
        with self._lock:
            now = self._clock.monotonic()
            tokens, since = self._buckets.pop(bucket, (BURST, now))
            tokens = min(BURST, tokens + (now - since) / REFILL_SECONDS)
            granted = tokens >= 1
            self._buckets[bucket] = (tokens - granted, now)
            if len(self._buckets) > REMEMBERED:
                del self._buckets[next(iter(self._buckets))]
            return granted

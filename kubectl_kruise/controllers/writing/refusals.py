"""In-place updates that the server refused once their pods had left service.

The manager tries again at once and for ever, and the pod flaps (cloneset.md Q27). Here the attempts become rarer, and
the pod serves in between.
"""

from typing import NamedTuple

from kubectl_kruise.controllers.queue import Key, backoff_seconds


class _Refused(NamedTuple):
    revision: str
    times: int
    last: float


class Refusals:
    """The last refusal of every CloneSet; times are epoch seconds."""

    def __init__(self) -> None:
        self._found: dict[Key, _Refused] = {}

    def note(self, key: Key, revision: str, now: float) -> None:
        """Remember that a pod could not be brought to the revision."""
        known = self._found.get(key)
        times = known.times + 1 if known is not None and known.revision == revision else 0
        self._found[key] = _Refused(revision, times, now)

    def left(self, key: Key, revision: str, now: float) -> float:
        """Give the seconds until the revision may be tried again, 0 for one that was not refused."""
        known = self._found.get(key)
        if known is None or known.revision != revision or now < known.last:
            return 0.0
        return max(0.0, known.last + backoff_seconds(known.times) - now)

    def forget(self, key: Key) -> None:
        self._found.pop(key, None)

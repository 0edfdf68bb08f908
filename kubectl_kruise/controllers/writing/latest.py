"""Workloads as they were last written here, until the cache shows them so or something newer."""

import threading

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.objects.raw import Raw, uid_of, version_number


class LastWritten:
    """Without it a pass would read a status of its own that is not the last one."""

    def __init__(self) -> None:
        self._written: dict[Key, Raw] = {}
        self._lock = threading.Lock()

    def latest(self, key: Key, cached: Raw) -> Raw:
        """Give the newer one of the cached object and the one last written here."""
        with self._lock:
            written = self._written.get(key)
            if written is None:
                return cached
            if uid_of(written) == uid_of(cached) and version_number(written) > version_number(cached):
                return written
            del self._written[key]
            return cached

    def remember(self, key: Key, written: Raw) -> None:
        with self._lock:
            self._written[key] = written

    def forget(self, key: Key) -> None:
        with self._lock:
            self._written.pop(key, None)

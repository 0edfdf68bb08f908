"""What the controller has written and its caches may not show yet: no decision is taken on caches older than that."""

import threading

from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.objects.raw import Raw, version_number


class Written:
    """By set and collection the latest version that was written."""

    def __init__(self) -> None:
        self._latest: dict[Key, dict[Informer, Raw]] = {}
        self._lock = threading.Lock()

    def note(self, key: Key, cache: Informer, answer: Raw) -> None:
        """Remember an object as the server answered a write to it; an answer without a version says nothing."""
        with self._lock:
            latest = self._latest.setdefault(key, {})
            if version_number(answer) > version_number(latest.get(cache, {})):
                latest[cache] = answer

    def seen(self, key: Key) -> bool:
        """Say whether the caches are as new as all that was written for the set."""
        with self._lock:
            latest = self._latest.get(key, {})
            for cache in [cache for cache, answer in latest.items() if cache.reached(answer)]:
                del latest[cache]
            if latest:
                return False
            self._latest.pop(key, None)
            return True

    def forget(self, key: Key) -> None:
        with self._lock:
            self._latest.pop(key, None)

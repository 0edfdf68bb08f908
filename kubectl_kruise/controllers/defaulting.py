"""Admission defaults in memory: a workload is worked on as the webhook would have made it, and never written so."""

import threading
from collections.abc import Callable
from typing import Any

from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.objects.raw import Raw


class Defaulter:
    """Keeps the defaulted spec of each workload until its own changes.

    The generation does not tell: a write through a served version that lacks fields takes these away without a new
    generation (advanced-statefulset.md K-2).
    """

    def __init__(self, default: Callable[[Raw], Raw]) -> None:
        """Fill objects by `default`, which raises ValueError where a value does not fit its type."""
        self._default = default
        self._specs: dict[Key, tuple[Any, Raw]] = {}
        self._lock = threading.Lock()

    def fill(self, key: Key, raw: Raw) -> Raw:
        """Give the workload with defaults; raises ValueError where a value does not fit its type."""
        given = raw.get("spec")
        with self._lock:
            known = self._specs.get(key)
        if known is None or known[0] != given:
            known = given, self._default(raw)["spec"]
            with self._lock:
                self._specs[key] = known
        return {**raw, "spec": known[1]}

    def forget(self, key: Key) -> None:
        with self._lock:
            self._specs.pop(key, None)

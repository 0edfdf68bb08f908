"""The container runtime of the simulated nodes, as far as two talk to it: the node daemon kills, the kubelet sees it."""

import threading
from collections.abc import Callable

from kubectl_kruise.controllers.queue import Key


class Runtime:
    """Holds the ids of killed containers by pod until the pod is forgotten; nothing outlives the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._killed: dict[Key, frozenset[str]] = {}
        self._told: list[Callable[[Key], None]] = []

    def on_kill(self, handler: Callable[[Key], None]) -> None:
        self._told.append(handler)

    def kill(self, pod: Key, container_id: str) -> None:
        """End a container; whoever watches over the pod is told."""
        with self._lock:
            self._killed[pod] = self.killed(pod) | {container_id}
        for handler in self._told:
            handler(pod)

    def killed(self, pod: Key) -> frozenset[str]:
        return self._killed.get(pod, frozenset())

    def forget(self, pod: Key) -> None:
        with self._lock:
            self._killed.pop(pod, None)

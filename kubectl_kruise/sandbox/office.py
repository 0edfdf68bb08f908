"""The lease of Kruise's manager, held while the sandbox's controllers work in its place."""

import os
import socket
from contextlib import suppress
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.lease import OwnLease
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.errors import ConflictError
from kubectl_kruise.facts.kinds import NAMESPACE
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE, SANDBOX_HOLDER

RENEW_SECONDS: Final = 4.0
"""A lease lasts 15 s, and one renewal may be late."""


class Office:
    """Takes the manager's lease and renews it, so that `controller run` does not work beside the sandbox's controllers."""

    name = "manager-lease"
    workers = 1
    informers: tuple[Informer, ...] = ()

    def __init__(self, cluster: Cluster, clock: Clock) -> None:
        self._cluster = cluster
        identity = f"{SANDBOX_HOLDER}{socket.gethostname()}_{os.getpid()}"
        self._lease = OwnLease(
            cluster, clock, identity=identity, namespace=MANAGER_NAMESPACE, name=MANAGER_LEASE
        )
        self.queue = Queue(clock)
        self.queue.add(Key(MANAGER_NAMESPACE, MANAGER_LEASE))

    def take(self) -> None:
        """Take or renew the lease; its namespace is made where it is missing."""
        with suppress(ConflictError):  # there already
            self._cluster.create(NAMESPACE.path(), {"metadata": {"name": MANAGER_NAMESPACE}})
        self._lease.take()

    def reconcile(self, _: Key) -> float:
        self.take()
        return RENEW_SECONDS

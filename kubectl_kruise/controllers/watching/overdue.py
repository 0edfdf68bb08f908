"""What to do about a creation or deletion that the cache has not shown in time (cloneset.md §24.2)."""

import logging
from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.watching.expectations import Expected, ScaleExpectations
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import POD, PVC, Kind
from kubectl_kruise.objects.raw import Raw, deleting, uid_of

LOG = logging.getLogger("kubectl_kruise.controllers")
GIVEN_UP_SECONDS: Final = 10.0
"""When to go on after an expectation was given up unseen."""


class Patience:
    """Holds a workload up while the cache is behind its own writes.

    Gate ForceDeleteTimeoutExpectationGate gives up when the time is over. Without it only an event could help that may
    have been lost, such as that of an object that came and went during a relist: so the server is asked, and what the
    cache shows as it does is expected no longer.
    """

    def __init__(
        self,
        cluster: Cluster,
        expectations: ScaleExpectations,
        *,
        pods: Informer,
        claims: Informer,
        gives_up: bool,
    ) -> None:
        self._cluster, self._expectations, self._gives_up = cluster, expectations, gives_up
        self._watched: dict[str, tuple[Kind, Informer]] = {
            POD.plural: (POD, pods),
            PVC.plural: (PVC, claims),
        }

    def wait(self, owner: Key) -> float | None:
        """Give the seconds to wait, None where the workload may be worked on; raises the KruiseError of a silent server."""
        left = self._expectations.wait(owner)
        if left is None or left > 0:
            return left
        pending = self._expectations.pending(owner)
        LOG.warning("%s/%s: not seen in time: %s", *owner, ", ".join(f"{e.action} {e.name}" for e in pending))
        if self._gives_up:
            self._expectations.forget(owner)
            return GIVEN_UP_SECONDS
        for expected in pending:
            if self._caught_up(owner, expected):
                self._expectations.observe(owner, expected)
        self._expectations.renew(owner)
        return self._expectations.wait(owner)

    def _caught_up(self, owner: Key, expected: Expected) -> bool:
        kind, informer = self._watched[expected.plural]
        cached = informer.get(Key(owner.namespace, expected.name))
        try:
            live: Raw | None = self._cluster.get(kind.path(owner.namespace, expected.name))
        except NotFoundError:
            live = None
        if live is None or cached is None:
            return live is cached
        return uid_of(live) == uid_of(cached) and deleting(live) == deleting(cached)

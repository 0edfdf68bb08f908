"""Writes what a pass leaves on the set itself: its status (advanced-statefulset.md §4)."""

from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.statefulset.snapshot import Snapshot
from kubectl_kruise.controllers.writing.latest import LastWritten
from kubectl_kruise.engine.statefulset.claims import Lookup
from kubectl_kruise.engine.statefulset.status import plan_status
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.objects.raw import Raw, api_version, name_of, uid_of

ATTEMPTS: Final = 5


class Reporter:
    """Reports what a pass over a set found, also of one that failed ([ST-8])."""

    def __init__(self, cluster: Cluster, written: LastWritten) -> None:
        self._cluster, self._written = cluster, written

    def report(self, snapshot: Snapshot, lookup: Lookup) -> None:
        """Write the status where it differs; on a conflict the same one onto the set as it is by then ([ST-7])."""
        situation = snapshot.situation
        plan = plan_status(
            snapshot.view,
            situation.slots,
            lookup,
            snapshot.now,
            current=name_of(situation.current),
            update=name_of(situation.update),
            collisions=snapshot.collisions,
            lowered=snapshot.lowered,
            failures=snapshot.conditions,
        )
        if plan.write:
            self._write(snapshot, plan.status)

    def _write(self, snapshot: Snapshot, status: Raw) -> None:
        live, version = snapshot.live, api_version(snapshot.live)
        path = STATEFULSET.path(*snapshot.key, version=version)
        for attempt in range(ATTEMPTS):
            try:
                written = self._cluster.replace(f"{path}/status", {**live, "status": status})
            except ConflictError:
                live = self._cluster.get(path)
                if uid_of(live) != snapshot.view.uid or attempt == ATTEMPTS - 1:
                    raise
            except NotFoundError:
                return  # the set went meanwhile: nobody is left to be told
            else:
                self._written.remember(snapshot.key, written)
                return

"""Writes what a pass leaves on the CloneSet itself: its status, and podsToDelete without the names that are gone."""

import logging
from collections.abc import Sequence

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.equipment import TIDY_SECONDS
from kubectl_kruise.controllers.writing.latest import LastWritten
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.engine.cloneset.status import plan_status
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.raw import Raw, api_version, dig, name_of

LOG = logging.getLogger("kubectl_kruise.controllers")


class Reporter:
    """Reports what a pass over a CloneSet found."""

    def __init__(self, cluster: Cluster, written: LastWritten) -> None:
        self._cluster, self._written = cluster, written

    def report(self, snapshot: Snapshot, failures: Sequence[tuple[str, KruiseError]]) -> list[float]:
        """Write the status where it differs, else podsToDelete; give the seconds until further looks (§24.4).

        A pod that changed or went during the pass is no failure of the CloneSet: the pass is repeated and says
        nothing of it.
        """
        view = snapshot.view
        plan = plan_status(
            view,
            snapshot.pods,
            snapshot.now,
            current_revision=name_of(snapshot.current),
            update_revision=name_of(snapshot.update),
            collisions=snapshot.collisions,
            failures=[(kind, server_words(error)) for kind, error in failures if not _overtaken(error)],
        )
        raw = snapshot.live
        waits = []
        if plan.write:
            # Names of podsToDelete wait for the pass that this write brings: one change of the spec for all of them.
            path = CLONESET.path(*snapshot.key, version=api_version(raw), subresource="status")
            self._written.remember(snapshot.key, self._cluster.replace(path, {**raw, "status": plan.status}))
        elif not self._prune(snapshot, raw):
            waits.append(TIDY_SECONDS)
        waits += [] if plan.requeue is None else [plan.requeue]
        counts = plan.status
        if not failures and view.min_ready > 0 and counts["availableReplicas"] != counts["readyReplicas"]:
            waits.append(float(view.min_ready))
        return waits

    def _prune(self, snapshot: Snapshot, raw: Raw) -> bool:
        """Drop the names of pods that are no more from podsToDelete; a failure (False) fails no pass (§8 step 14)."""
        names = dig(raw, ("spec", "scaleStrategy", "podsToDelete"), [])
        pods = {name_of(pod) for pod in snapshot.pods}
        kept = [name for name in names if name in pods]
        if len(kept) == len(names):
            return True
        scale = {key: value for key, value in raw["spec"]["scaleStrategy"].items() if key != "podsToDelete"}
        scale |= {"podsToDelete": kept} if kept else {}
        pruned = {**raw, "spec": {**raw["spec"], "scaleStrategy": scale}}
        try:
            path = CLONESET.path(*snapshot.key, version=api_version(raw))
            self._written.remember(snapshot.key, self._cluster.replace(path, pruned))
        except KruiseError as error:
            LOG.info("%s/%s: podsToDelete stays as it is: %s", *snapshot.key, server_words(error))
            return False
        return True


def _overtaken(error: KruiseError) -> bool:
    """Say whether the object only changed or went meanwhile; a name that is taken is a failure like any other."""
    return isinstance(error, NotFoundError) or (
        isinstance(error, ConflictError) and error.reason != "AlreadyExists"
    )

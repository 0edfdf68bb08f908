"""Read both workloads of a move with their pods (migration.md §6.1 G3: all numbers read live)."""

from typing import NamedTuple

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.engine.migration.levels import Side, owned_by_any
from kubectl_kruise.facts.kinds import DEPLOYMENT, REPLICASET, Kind
from kubectl_kruise.objects.raw import Raw, dig, owner_uid, uid_of
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.operations.migrate.looking import Paths, fetch, list_pods
from kubectl_kruise.operations.migrate.run import Run


class Both(NamedTuple):
    """The two sides; None for a workload that does not exist."""

    native: Side | None
    kruise: Side | None

    def of(self, kind: Kind) -> Side | None:
        """Give the side of one of the two kinds."""
        return self.native if kind.native else self.kruise

    @property
    def ready(self) -> int:
        return sum(side.ready for side in self if side is not None)


def count(run: Run, journal: Journal) -> Both:
    """Read the workloads first and their pods last: what the controllers say is never newer than the pods."""
    paths = Paths(run.namespace, journal)
    native, kruise = fetch(run, paths.native), fetch(run, paths.kruise)
    replicasets = replicasets_of(run, journal, native)
    pods = list_pods(run, journal)
    one = other = None
    if native is not None and journal.pair.native is DEPLOYMENT:
        kept = sum(int(dig(each, ("spec", "replicas"), 1)) for each in replicasets)
        owned = owned_by_any(pods, set(map(uid_of, replicasets)))
        one = Side(Workload(native, DEPLOYMENT), owned, kept)
    elif native is not None:
        one = _owner(native, journal.pair.native, pods)
    if kruise is not None:
        other = _owner(kruise, journal.pair.kruise, pods)
    return Both(one, other)


def replicasets_of(run: Run, journal: Journal, native: Raw | None) -> list[Raw]:
    """List the ReplicaSets of a Deployment, also those that have no pods; a set has none."""
    if native is None or journal.pair.native is not DEPLOYMENT:
        return []
    selector = Workload(journal.native_manifest, DEPLOYMENT).selector
    listed = run.cluster.list(REPLICASET.path(run.namespace), labels=selector)["items"]
    return [each for each in listed if owner_uid(each) == uid_of(native)]


def _owner(live: Raw, kind: Kind, pods: list[Raw]) -> Side:
    workload = Workload(live, kind)
    return Side(workload, owned_by_any(pods, {workload.uid}), workload.replicas)

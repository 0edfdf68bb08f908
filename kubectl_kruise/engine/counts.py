"""Pods of a workload by what they mean for its rollout, counted or read from its status.

Sources: rollout-operations.md §3, §4, §9; cloneset.md §6.4, §22.
"""

from typing import NamedTuple

from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.objects.workload import Workload


class Counts(NamedTuple):
    """Pods of a workload by what they mean for its rollout.

    `target` is how many shall carry the update revision, `held` how many old ones the partition keeps, `strays` old
    pods of neither the current nor the update revision, `chosen` pods that were picked for deletion. `from_pods` tells whether pods were counted or the status read.
    """

    desired: int
    target: int
    total: int = 0
    updated: int = 0
    updated_ready: int = 0
    updated_available: int = 0
    ready: int = 0
    available: int = 0
    failing: int = 0
    hooked_old: int = 0
    chosen: int = 0
    strays: tuple[tuple[str, int], ...] = ()
    from_pods: bool = False

    @property
    def waiting(self) -> int:
        """Old pods whose turn is still to come and that no hook holds."""
        return max(0, min(self.target - self.updated, self.total - self.updated) - self.hooked_old)

    @property
    def unwell(self) -> int:
        """Old pods that are not available."""
        return max(0, self.total - self.updated - (self.available - self.updated_available))

    @property
    def held(self) -> int:
        return max(0, self.total - self.updated - self.waiting - self.hooked_old)


def target_of(workload: Workload, updated: int) -> int:
    """Count the pods that shall carry the update revision; partitions of OnDelete are none (cloneset.md §6.4).

    Pods beyond the partition that are `updated` already stay so, as all do that are created while there is no old
    revision: they have to be available, too. Until the spec is observed, pods are measured by the revision before.
    """
    beyond = min(updated, workload.replicas) if workload.observed else 0
    return max(workload.replicas - workload.partition, beyond)


def counts_of_status(workload: Workload) -> Counts:
    """Read the counters of the status, for lists and where pods cannot be seen."""

    def counter(key: str) -> int:
        return workload.counter(key) or 0

    available = counter("availableReplicas")
    if workload.kind is STATEFULSET and workload.counter("availableReplicas") is None:
        available = counter("readyReplicas")  # older managers do not count them
    updated = counter("updatedReplicas")
    native = workload.kind.native
    # Native kinds do not count their new pods apart, and Advanced StatefulSets do not store it when nothing else
    # changes (advanced-statefulset.md §4 [ST-6]): what all have beyond the old ones is certainly theirs.
    old = max(0, counter("replicas") - updated)
    return Counts(
        desired=workload.replicas,
        target=target_of(workload, updated),
        total=counter("replicas"),
        updated=updated,
        updated_ready=max(0, min(updated, counter("readyReplicas") - old))
        if native
        else counter("updatedReadyReplicas"),
        updated_available=max(
            0 if native else updated_available(workload),
            min(updated, available - old) if native or workload.kind is STATEFULSET else 0,
        ),
        ready=counter("readyReplicas"),
        available=available,
    )


def updated_available(workload: Workload) -> int:
    """Read updatedAvailableReplicas; managers before 1.8 knew only updatedReadyReplicas.

    The key is left out at zero, so the manager's age shows in whether either of the two newer keys is there.
    """
    newer = workload.counter("updatedAvailableReplicas")
    if newer is not None or workload.counter("expectedUpdatedReplicas") is not None:
        return newer or 0
    return workload.counter("updatedReadyReplicas") or 0

"""Count what the two workloads of a gradual move have, from their pods and from what their controllers say (migration.md §6.1)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from kubectl_kruise.engine.migration.surge import Levels
from kubectl_kruise.objects.pod import active, finished, ready
from kubectl_kruise.objects.raw import Raw, deleting, name_of, owner_uid
from kubectl_kruise.objects.workload import Workload


class Side(NamedTuple):
    """One of the two workloads, with every pod it owns, also those that are ending.

    `kept` is how many pods its controller lets live: in the middle of its own rollout a Deployment has more than wanted.
    """

    workload: Workload
    pods: Sequence[Raw]
    kept: int

    @property
    def wanted(self) -> int:
        return self.workload.replicas

    @property
    def settled(self) -> bool:
        """Say whether its controller has carried out the last write that lets it have fewer pods."""
        return (
            self.workload.observed
            and len(self._active) <= self.kept
            and (self.workload.counter("replicas") or 0) <= self.kept
        )

    @property
    def ready(self) -> int:
        """Pods that serve: Ready, and not being deleted."""
        return sum(1 for pod in self._active if ready(pod))

    @property
    def available(self) -> int:
        """Pods that are available for certain and will stay.

        No more than are ready, nor than the controller counts; of pods that it has yet to delete, the available go first.
        """
        counted = min(self.ready, self.workload.counter("availableReplicas") or 0)
        return max(0, counted - max(0, len(self._active) - self.kept))

    @property
    def unready(self) -> list[str]:
        """Names of the pods that do not serve and are not ending either."""
        return sorted(name_of(pod) for pod in self._active if not ready(pod))

    @property
    def ending(self) -> list[str]:
        """Names of the pods that are being deleted."""
        return sorted(name_of(pod) for pod in self.pods if deleting(pod) and not finished(pod))

    @property
    def _active(self) -> list[Raw]:
        return [pod for pod in self.pods if active(pod)]


def levels_of(giving: Side, getting: Side) -> Levels:
    return Levels(giving.wanted, giving.available, getting.wanted, getting.available)


def owned_by_any(pods: Sequence[Raw], owners: Collection[str]) -> list[Raw]:
    """Give the pods whose controller is one of these uids."""
    return [pod for pod in pods if owner_uid(pod) in owners]

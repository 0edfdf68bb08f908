"""Kruise's own manager: whether one is alive, as its lease tells."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import LEASE
from kubectl_kruise.facts.names import MANAGER_LEASE, MANAGER_NAMESPACE
from kubectl_kruise.objects.lease import holder_of


def manager_holder(cluster: Cluster, now: float) -> str:
    """Give who has renewed the manager's lease within its duration, "" where nobody has; `now` is in epoch seconds.

    Raises NotAllowedError where the lease may not be read: not to know is not to be sure that no manager runs.
    """
    try:
        return holder_of(cluster.get(LEASE.path(MANAGER_NAMESPACE, MANAGER_LEASE)), now)
    except NotFoundError:
        return ""

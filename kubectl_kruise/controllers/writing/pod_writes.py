"""Writes to pods: each remembered until the cache has caught up, refusals for a newer version tried again."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.errors import ConflictError
from kubectl_kruise.facts.kinds import POD
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of, uid_of

ATTEMPTS: Final = 5


class PodWriter:
    """Writes pods that came from a cache; every method gives the pod as the server has it now."""

    def __init__(self, cluster: Cluster, versions: VersionExpectations) -> None:
        self._cluster = cluster
        self._versions = versions

    def patch(self, pod: Raw, body: Raw, subresource: str = "") -> Raw:
        patch = Patch(PatchType.STRATEGIC, body)
        return self._written(self._cluster.patch(_path(pod, subresource), patch))

    def replace(self, pod: Raw, subresource: str = "") -> Raw:
        """Write the pod as it stands; raises ConflictError where the server has a newer one."""
        return self._written(self._cluster.replace(_path(pod, subresource), pod))

    def change(self, pod: Raw, change: Callable[[Raw], Raw], subresource: str = "") -> Raw:
        """Write `change(pod)`; on a conflict the change is made again to the pod as it is by then.

        Raises ConflictError where another pod has taken the name, or after five conflicts in a row.
        """
        uid = uid_of(pod)
        for _ in range(ATTEMPTS - 1):
            try:
                return self.replace(change(pod), subresource)
            except ConflictError:
                pod = self._cluster.get(_path(pod))
                if uid_of(pod) != uid:
                    raise
        return self.replace(change(pod), subresource)

    def change_status(self, pod: Raw, change: Callable[[Raw], Raw | None]) -> Raw:
        """Write the status that `change` gives, nothing where it gives None."""
        return (
            pod if change(pod) is None else self.change(pod, lambda fresh: change(fresh) or fresh, "status")
        )

    def _written(self, pod: Raw) -> Raw:
        self._versions.expect(pod)
        return pod


def _path(pod: Raw, subresource: str = "") -> str:
    return POD.path(namespace_of(pod), name_of(pod), subresource=subresource)

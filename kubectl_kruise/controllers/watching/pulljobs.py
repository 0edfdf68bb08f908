"""ImagePullJobs as controllers of workloads see them."""

from typing import Final, NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers.informer import Informer, by_controller
from kubectl_kruise.errors import UnknownTypeError
from kubectl_kruise.facts.kinds import IMAGE_PULL_JOB
from kubectl_kruise.objects.raw import Raw

CONTROLLER: Final = "controller"


class PullJobs(NamedTuple):
    """The ImagePullJobs of the cluster, seen through `version`."""

    informer: Informer
    version: str

    def of(self, uid: str) -> list[Raw]:
        """Give those that the workload controls."""
        return self.informer.indexed(CONTROLLER, uid)


def open_pull_jobs(cluster: Cluster, namespace: str) -> PullJobs | None:
    """Make the informer of ImagePullJobs; None in a cluster that does not have them."""
    try:
        version = served_version(cluster, IMAGE_PULL_JOB, fresh=True)
    except UnknownTypeError:
        return None
    path = IMAGE_PULL_JOB.path(namespace, version=version)
    return PullJobs(Informer(cluster, path, {CONTROLLER: by_controller}), version)

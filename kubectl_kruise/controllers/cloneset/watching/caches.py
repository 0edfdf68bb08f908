"""The collections a CloneSet controller watches, and how it finds what belongs to one CloneSet."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.cluster.versions import served_version
from kubectl_kruise.controllers.informer import Informer, Rank, by_owner_uid
from kubectl_kruise.errors import UnknownTypeError
from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, IMAGE_PULL_JOB, POD, PVC
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of, owner_of

OWNER = "any owner"
CONTROLLER = "controller"


class Caches(NamedTuple):
    clonesets: Informer
    pods: Informer
    claims: Informer
    revisions: Informer

    def pods_of(self, uid: str) -> list[Raw]:
        """Give the pods that name the CloneSet as an owner, controller or not."""
        return self.pods.indexed(OWNER, uid)

    def claims_of(self, uid: str) -> list[Raw]:
        return self.claims.indexed(OWNER, uid)

    def revisions_of(self, uid: str, namespace: str) -> list[Raw]:
        """Give the revisions that the CloneSet controls or that nobody does."""
        return self.revisions.indexed(CONTROLLER, uid) + self.revisions.indexed(
            CONTROLLER, _orphan(namespace)
        )


class PullJobs(NamedTuple):
    """The ImagePullJobs of the cluster, seen through `version`."""

    informer: Informer
    version: str

    def of(self, uid: str) -> list[Raw]:
        """Give those that the CloneSet controls."""
        return self.informer.indexed(CONTROLLER, uid)


def open_caches(
    cluster: Cluster, namespace: str, version: str, rank: Rank | None = None, pods: Informer | None = None
) -> Caches:
    """Make the informers, of one namespace or of all; `version` is the served one of CloneSets to work through.

    `pods` may be an informer of all pods that somebody else has already.

    Pods come in the order of `rank`, else of their names: two controllers that overlap for a moment, or one that
    starts anew, then choose the same ones among equals, as does a preview on the command line.
    """
    pods = pods or Informer(cluster, POD.path(namespace))
    pods.add_index(OWNER, by_owner_uid, rank or name_of)
    return Caches(
        clonesets=Informer(cluster, CLONESET.path(namespace, version=version)),
        pods=pods,
        claims=Informer(cluster, PVC.path(namespace), {OWNER: by_owner_uid}),
        revisions=Informer(cluster, CONTROLLER_REVISION.path(namespace), {CONTROLLER: _by_controller}),
    )


def open_pull_jobs(cluster: Cluster, namespace: str) -> PullJobs | None:
    """Make the informer of ImagePullJobs; None in a cluster that does not have them."""
    try:
        version = served_version(cluster, IMAGE_PULL_JOB, fresh=True)
    except UnknownTypeError:
        return None
    path = IMAGE_PULL_JOB.path(namespace, version=version)
    return PullJobs(Informer(cluster, path, {CONTROLLER: _by_controller}), version)


def _by_controller(raw: Raw) -> Iterable[str]:
    owner = owner_of(raw)
    return (str(owner.get("uid")) if owner else _orphan(namespace_of(raw)),)


def _orphan(namespace: str) -> str:
    return f"orphan in {namespace}"

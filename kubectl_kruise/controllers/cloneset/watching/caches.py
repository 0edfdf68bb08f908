"""The collections a CloneSet controller watches, and how it finds what belongs to one CloneSet."""

from typing import NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import (
    Informer,
    Rank,
    by_controller,
    by_owner_uid,
    controlled_or_free,
)
from kubectl_kruise.facts.kinds import CLONESET, CONTROLLER_REVISION, POD, PVC
from kubectl_kruise.objects.raw import Raw, name_of

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
        return controlled_or_free(self.revisions, CONTROLLER, uid, namespace)


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
        revisions=Informer(cluster, CONTROLLER_REVISION.path(namespace), {CONTROLLER: by_controller}),
    )

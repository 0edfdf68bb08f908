"""The collections the controller of Advanced StatefulSets watches, and how it finds what belongs to one set."""

from typing import Final, NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer, by_controller, controlled_or_free
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, POD, PVC, STATEFULSET
from kubectl_kruise.objects.raw import Raw, name_of

CONTROLLER: Final = "controller"


class Caches(NamedTuple):
    sets: Informer
    pods: Informer
    claims: Informer
    revisions: Informer

    def pods_of(self, uid: str, namespace: str) -> list[Raw]:
        """Give the pods that the set controls or that nobody does."""
        return controlled_or_free(self.pods, CONTROLLER, uid, namespace)

    def revisions_of(self, uid: str, namespace: str) -> list[Raw]:
        """Give the revisions that the set controls or that nobody does."""
        return controlled_or_free(self.revisions, CONTROLLER, uid, namespace)

    def claim(self, namespace: str, name: str) -> Raw | None:
        return self.claims.get(Key(namespace, name))


def open_caches(cluster: Cluster, namespace: str, version: str, pods: Informer | None = None) -> Caches:
    """Make the informers, of one namespace or of all; `version` is the served one of sets to work through.

    `pods` may be an informer of all pods that somebody else has already.
    """
    pods = pods or Informer(cluster, POD.path(namespace))
    pods.add_index(CONTROLLER, by_controller, name_of)
    return Caches(
        sets=Informer(cluster, STATEFULSET.path(namespace, version=version)),
        pods=pods,
        claims=Informer(cluster, PVC.path(namespace)),
        revisions=Informer(cluster, CONTROLLER_REVISION.path(namespace), {CONTROLLER: by_controller}),
    )

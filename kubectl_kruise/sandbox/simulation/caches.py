"""The collections the simulation watches, one informer each, shared by its controllers."""

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer, by_controller
from kubectl_kruise.facts.kinds import (
    CONFIGMAP,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    NATIVE_STATEFULSET,
    NODE,
    PDB,
    PERSISTENT_VOLUME,
    POD,
    PVC,
    REPLICASET,
    RESOURCE_QUOTA,
)
from kubectl_kruise.objects.pod import claims_used, node_of
from kubectl_kruise.objects.raw import Raw, namespace_of

BY_NODE = "node"
BY_OWNER = "owner"
BY_CLAIM = "claim"


class Caches(NamedTuple):
    pods: Informer
    nodes: Informer
    replicasets: Informer
    deployments: Informer
    claims: Informer
    volumes: Informer
    quotas: Informer
    configmaps: Informer
    budgets: Informer
    statefulsets: Informer
    revisions: Informer


def open_caches(cluster: Cluster, pods: Informer | None = None) -> Caches:
    """Make the informers; nothing is read before they are polled or followed.

    `pods` may be one of all pods that somebody else in this process has already.
    """
    pods = pods or Informer(cluster, POD.path())
    for name, indexer in ((BY_NODE, _by_node), (BY_OWNER, by_controller), (BY_CLAIM, _by_claim)):
        pods.add_index(name, indexer)
    return Caches(
        pods,
        Informer(cluster, NODE.path()),
        Informer(cluster, REPLICASET.path(), {BY_OWNER: by_controller}),
        Informer(cluster, DEPLOYMENT.path()),
        Informer(cluster, PVC.path()),
        Informer(cluster, PERSISTENT_VOLUME.path()),
        Informer(cluster, RESOURCE_QUOTA.path()),
        Informer(cluster, CONFIGMAP.path()),
        Informer(cluster, PDB.path()),
        Informer(cluster, NATIVE_STATEFULSET.path()),
        Informer(cluster, CONTROLLER_REVISION.path(), {BY_OWNER: by_controller}),
    )


def _by_node(pod: Raw) -> Iterable[str]:
    """File unbound pods under ""."""
    return (node_of(pod),)


def _by_claim(pod: Raw) -> Iterable[str]:
    return (f"{namespace_of(pod)}/{name}" for name in claims_used(pod))

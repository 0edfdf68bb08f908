"""The simulated cluster: nodes, scheduler, kubelet, node daemon, native controllers, all of them clients of an API server."""

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.sandbox.simulation.caches import open_caches
from kubectl_kruise.sandbox.simulation.daemon.recording import NodeDaemon
from kubectl_kruise.sandbox.simulation.daemon.recreations import ContainerRecreations
from kubectl_kruise.sandbox.simulation.deployment.controller import Deployments
from kubectl_kruise.sandbox.simulation.kubelet.controller import Kubelet
from kubectl_kruise.sandbox.simulation.nodes import Nodes
from kubectl_kruise.sandbox.simulation.profile import DEFAULT, RECORDED, Profile
from kubectl_kruise.sandbox.simulation.replicaset.controller import ReplicaSets
from kubectl_kruise.sandbox.simulation.runtime import Runtime
from kubectl_kruise.sandbox.simulation.scheduling.lifecycle import NodeLifecycle
from kubectl_kruise.sandbox.simulation.scheduling.scheduler import Choose, Scheduler
from kubectl_kruise.sandbox.simulation.statefulset.controller import StatefulSets
from kubectl_kruise.sandbox.simulation.upkeep.claims import Claims
from kubectl_kruise.sandbox.simulation.upkeep.disruption import Disruptions
from kubectl_kruise.sandbox.simulation.upkeep.quotas import Quotas

__all__ = ["DEFAULT", "RECORDED", "Profile", "build"]


def build(
    cluster: Cluster,
    clock: Clock,
    profile: Profile = DEFAULT,
    *,
    choose: Choose | None = None,
    kruise: bool = True,
    manager: Cluster | None = None,
    pods: Informer | None = None,
) -> list[Controller]:
    """Make the controllers of the simulated cluster, for a Runner or a Stepper; they share one cache per collection.

    `choose(pod, names)` picks the node of a pod among those that suit, in place of the profile's way. `kruise` says
    whether the server knows Kruise's kinds, which its node daemon reads. `manager` is the client that the controllers
    of Deployments, ReplicaSets, StatefulSets and disruption budgets write with, where it is another. `pods` is an informer of all pods to share.
    """
    caches, runtime = open_caches(cluster, pods), Runtime()
    manager = manager or cluster
    controllers: list[Controller] = [
        Nodes(cluster, clock, caches, profile),
        NodeLifecycle(cluster, clock, caches),
        Scheduler(cluster, clock, caches, profile, choose),
        Kubelet(cluster, clock, caches, profile, runtime),
        Deployments(manager, clock, caches),
        ReplicaSets(manager, clock, caches),
        StatefulSets(manager, clock, caches),
        Disruptions(manager, clock, caches),
        Claims(cluster, clock, caches, profile),
        Quotas(cluster, clock, caches),
    ]
    if profile.node_daemon:
        controllers.append(NodeDaemon(cluster, clock, caches))
    if profile.node_daemon and kruise:
        controllers.append(ContainerRecreations(cluster, clock, caches, profile, runtime))
    return controllers

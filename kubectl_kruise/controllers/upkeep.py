"""What pods of Kruise's workloads need from its manager, whatever workload made them."""

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.launchpriority import LaunchPriority
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.controllers.podreadiness import PodReadiness


def upkeep_of_pods(cluster: Cluster, clock: Clock, pods: Informer) -> list[Controller]:
    """Give the controllers that open the gates of new pods and the barriers of their containers."""
    return [PodReadiness(cluster, clock, pods), LaunchPriority(cluster, clock, pods)]

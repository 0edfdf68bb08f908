"""Controllers that live with the server: the garbage collector and the end of namespaces."""

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.loop import Controller
from kubectl_kruise.sandbox.collector import Collector
from kubectl_kruise.sandbox.namespaces import Namespaces
from kubectl_kruise.sandbox.registry.registry import Registry


def upkeep_controllers(registry: Registry, cluster: Cluster) -> list[Controller]:
    return [Collector(registry, cluster), Namespaces(registry, cluster)]

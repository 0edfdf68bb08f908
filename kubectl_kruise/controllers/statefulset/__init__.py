"""The controller of Advanced StatefulSets: watches sets, pods, claims and revisions, and writes like Kruise's manager."""

from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.statefulset.caches import open_caches
from kubectl_kruise.controllers.statefulset.controller import StatefulSetController
from kubectl_kruise.controllers.watching.expectations import EXPECTATION_SECONDS
from kubectl_kruise.controllers.watching.pulljobs import open_pull_jobs
from kubectl_kruise.engine.gates import Gates

WORKERS: Final = 3
"""How many sets the manager works on at once."""

__all__ = ["WORKERS", "build"]


def build(
    cluster: Cluster,
    clock: Clock,
    *,
    namespace: str = "",
    version: str = "v1beta1",
    gates: Gates | None = None,
    workers: int = WORKERS,
    expectation_seconds: float = EXPECTATION_SECONDS,
    parallel: int = 1,
    pods: Informer | None = None,
) -> StatefulSetController:
    """Give the controller of Advanced StatefulSets, for `controllers.loop.Runner` or `Stepper`.

    `namespace` "" means all. `version` is the served version of sets to work through. `parallel` is the number of
    requests at a time where many pods are deleted: 1 for stepping. `pods` is an informer of all pods to share.
    """
    gates = gates or Gates()
    return StatefulSetController(
        cluster,
        clock,
        open_caches(cluster, namespace, version, pods),
        gates=gates,
        workers=workers,
        pull_jobs=open_pull_jobs(cluster, namespace) if gates.image_predownload else None,
        parallel=parallel,
        expectation_seconds=expectation_seconds,
    )

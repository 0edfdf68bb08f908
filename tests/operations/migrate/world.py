"""A cluster in this process on which migrations run for real: garbage collector, native controllers, CloneSet controller.

Waiting lets the cluster work: the migration's clock is the cluster's.
"""

import copy
import threading
from typing import Any

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers import cloneset
from kubectl_kruise.convert.cloneset import cloneset_to_deployment
from kubectl_kruise.convert.deployment import Target, deployment_to_cloneset
from kubectl_kruise.engine.migration.marks import mark_of
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, CONFIGMAP, DEPLOYMENT, POD, REPLICASET
from kubectl_kruise.objects.raw import Raw, name_of, owner_of, version_of
from kubectl_kruise.operations.migrate.journal.beginning import begin_adoption, begin_release
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build

NAMESPACE = "shop"


class DrivingClock(VirtualClock):
    """Waiting on it lets the sandbox work for that long."""

    sandbox: Sandbox

    def wait(self, condition: threading.Condition, seconds: float | None) -> None:
        del condition
        self.sandbox.run(1.0 if seconds is None else seconds)


class World:
    """A namespace with a Deployment of 4, made `ready_after` seconds ago."""

    def __init__(self, *, manager: bool = True, ready_after: float = 60, **spec: Any) -> None:
        clock = DrivingClock()
        self.sandbox = clock.sandbox = Sandbox(clock)
        self.clock = clock
        self.cluster = self.sandbox.client(namespace=NAMESPACE)
        self.sandbox.add(*build(self.sandbox.client("kubelet"), clock, RECORDED))
        if manager:
            self.sandbox.add(*cloneset.build(self.sandbox.client("kruise-manager"), clock))
        self.cluster.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.cluster.create(DEPLOYMENT.path(NAMESPACE), deployment(**spec))
        self.sandbox.run(ready_after)

    def run(self, cluster: Cluster | None = None, **changes: Any) -> Run:
        run = Run(cluster or self.cluster, self.clock, NAMESPACE, parallel=1, settle=15.0)
        return run._replace(**changes)

    def begin(self, cluster: Cluster | None = None, **options: Any) -> Keeper:
        live = self.deployment
        assert live is not None
        return begin_adoption(self.run(cluster), live, deployment_to_cloneset(live, Target()).obj, options)

    def begin_back(self, cluster: Cluster | None = None) -> Keeper:
        live = self.cloneset
        assert live is not None
        return begin_release(self.run(cluster), live, cloneset_to_deployment(live).obj, {})

    @property
    def deployment(self) -> Raw | None:
        return self._get(DEPLOYMENT.path(NAMESPACE, "web"))

    @property
    def cloneset(self) -> Raw | None:
        return self._get(CLONESET.path(NAMESPACE, "web"))

    @property
    def replicasets(self) -> list[Raw]:
        items: list[Raw] = self.cluster.list(REPLICASET.path(NAMESPACE))["items"]
        return items

    @property
    def pods(self) -> list[Raw]:
        items: list[Raw] = self.cluster.list(POD.path(NAMESPACE))["items"]
        return items

    def marks(self) -> set[tuple[str, str, int]]:
        """Give who the pods are, and how often they were restarted."""
        return {(mark.name, mark.uid, mark.restarts) for mark in map(mark_of, self.pods)}

    def everything(self) -> dict[str, str]:
        """Give the versions of all objects that a migration may touch."""
        kinds = (CONFIGMAP, DEPLOYMENT, REPLICASET, CLONESET, POD)
        listed = (raw for kind in kinds for raw in self.cluster.list(kind.path(NAMESPACE))["items"])
        return {f"{raw['kind']}/{name_of(raw)}": version_of(raw) for raw in listed}

    def owners(self) -> set[str]:
        return {str((owner_of(pod) or {}).get("kind")) for pod in self.pods}

    def merge(self, path: str, body: Raw) -> None:
        """Change an object as somebody else would."""
        self.cluster.patch(path, Patch(PatchType.MERGE, body))

    def _get(self, path: str) -> Raw | None:
        try:
            return self.cluster.get(path)
        except NotFoundError:
            return None


def deployment(**spec: Any) -> Raw:
    return copy.deepcopy(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 4,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {
                        "terminationGracePeriodSeconds": 5,
                        "containers": [{"name": "main", "image": "nginx:1"}],
                    },
                },
                **spec,
            },
        }
    )

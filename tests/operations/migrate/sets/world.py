"""A cluster in this process with a StatefulSet or an Advanced StatefulSet to migrate, and both controllers at work."""

import copy
from typing import Any

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType, Transport
from kubectl_kruise.controllers import statefulset
from kubectl_kruise.controllers.upkeep import upkeep_of_pods
from kubectl_kruise.convert.advancedstatefulset import asts_to_statefulset
from kubectl_kruise.convert.statefulset import SetTarget, statefulset_to_asts
from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.engine.migration.marks import mark_of
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import (
    CONFIGMAP,
    CONTROLLER_REVISION,
    NATIVE_STATEFULSET,
    POD,
    PVC,
    STATEFULSET,
    Kind,
)
from kubectl_kruise.objects.raw import Raw, labels_of, name_of, owner_of, uid_of, version_of
from kubectl_kruise.operations.migrate.journal.beginning import begin_between_sets
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.run import Run
from kubectl_kruise.sandbox.embedded import Sandbox
from kubectl_kruise.sandbox.simulation import RECORDED, build
from tests.operations.migrate.world import NAMESPACE, DrivingClock

FORWARD = Reference("StatefulSet", "db", "apps/v1")
BACK = Reference("StatefulSet", "db", "apps.kruise.io/v1beta1")
CLAIM: Raw = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


class SetWorld:
    """A namespace with a StatefulSet of 2, made `ready_after` seconds ago; `kruise` makes it an Advanced one."""

    def __init__(
        self, *, manager: bool = True, kruise: bool = False, ready_after: float = 60, **spec: Any
    ) -> None:
        clock = DrivingClock()
        self.sandbox = clock.sandbox = Sandbox(clock)
        self.clock = clock
        self.cluster = self.sandbox.client(namespace=NAMESPACE)
        self.sandbox.add(*build(self.sandbox.client("kubelet"), clock, RECORDED))
        if manager:
            self.start_manager()
        self.cluster.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        kind = STATEFULSET if kruise else NATIVE_STATEFULSET
        self.cluster.create(kind.path(NAMESPACE), manifest(kind, **spec))
        self.sandbox.run(ready_after)

    def start_manager(self) -> None:
        """Let somebody work on Advanced StatefulSets."""
        client = self.sandbox.client("kruise-manager")
        controller = statefulset.build(client, self.clock)
        self.sandbox.add(controller, *upkeep_of_pods(client, self.clock, controller.informers[1]))

    def run(self, cluster: Cluster | None = None, **changes: Any) -> Run:
        run = Run(cluster or self.cluster, self.clock, NAMESPACE, parallel=1, settle=15.0)
        return run._replace(**changes)

    def connect(self, transport: Transport) -> Client:
        return Client(transport, namespace=NAMESPACE, pause=self.clock.advance)

    def begin(
        self, cluster: Cluster | None = None, target: SetTarget | None = None, **options: Any
    ) -> Keeper:
        live = self.native
        assert live is not None
        return begin_between_sets(
            self.run(cluster), live, statefulset_to_asts(live, target or SetTarget()).obj, options
        )

    def begin_back(self, cluster: Cluster | None = None, **options: Any) -> Keeper:
        live = self.kruise
        assert live is not None
        return begin_between_sets(self.run(cluster), live, asts_to_statefulset(live).obj, options)

    @property
    def native(self) -> Raw | None:
        return self.read(NATIVE_STATEFULSET)

    @property
    def kruise(self) -> Raw | None:
        return self.read(STATEFULSET)

    @property
    def pods(self) -> list[Raw]:
        return self.all(POD)

    def read(self, kind: Kind) -> Raw | None:
        try:
            return self.cluster.get(kind.path(NAMESPACE, "db"))
        except NotFoundError:
            return None

    def all(self, kind: Kind) -> list[Raw]:
        items: list[Raw] = self.cluster.list(kind.path(NAMESPACE))["items"]
        return items

    def marks(self) -> set[tuple[str, str, int]]:
        """Give who the pods are, and how often they were restarted."""
        return {(mark.name, mark.uid, mark.restarts) for mark in map(mark_of, self.pods)}

    def claims(self) -> set[tuple[str, str]]:
        """Give who the volume claims are."""
        return {(name_of(claim), uid_of(claim)) for claim in self.all(PVC)}

    def revisions(self) -> set[str]:
        """Give the revisions that the pods say they are of."""
        return {labels_of(pod)["controller-revision-hash"] for pod in self.pods}

    def owners(self) -> set[str]:
        """Give whose the pods are: `native`, `kruise`, or "" for nobody's."""
        versions = {str((owner_of(pod) or {}).get("apiVersion") or "") for pod in self.pods}
        return {"native" if each == "apps/v1" else "kruise" if each else "" for each in versions}

    def everything(self) -> dict[str, str]:
        """Give the versions of all objects that a migration may touch."""
        kinds = (CONFIGMAP, NATIVE_STATEFULSET, STATEFULSET, CONTROLLER_REVISION, POD, PVC)
        return {f"{kind.display}/{name_of(raw)}": version_of(raw) for kind in kinds for raw in self.all(kind)}

    def merge(self, path: str, body: Raw) -> None:
        """Change an object as somebody else would."""
        self.cluster.patch(path, Patch(PatchType.MERGE, body))


def manifest(kind: Kind, **spec: Any) -> Raw:
    """Give a set of 2 with a claim each, whose pods come and go at once."""
    container = {"name": "main", "image": "pg:16", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    return copy.deepcopy(
        {
            "apiVersion": f"{kind.group}/{kind.versions[0]}",
            "kind": kind.kind,
            "metadata": {"name": "db"},
            "spec": {
                "replicas": 2,
                "serviceName": "db",
                "podManagementPolicy": "Parallel",
                "selector": {"matchLabels": {"app": "db"}},
                "template": {
                    "metadata": {"labels": {"app": "db"}},
                    "spec": {"terminationGracePeriodSeconds": 5, "containers": [container]},
                },
                "volumeClaimTemplates": [CLAIM],
                **spec,
            },
        }
    )

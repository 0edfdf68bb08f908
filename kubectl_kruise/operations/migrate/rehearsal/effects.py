"""What controllers would do about the writes of a rehearsal: owners leave, pods come, go and become ready at once."""

from collections.abc import Sequence

from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.engine.migration.lock import locked
from kubectl_kruise.engine.migration.manifests import same_template
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, POD, REPLICASET, Kind
from kubectl_kruise.objects.raw import (
    Raw,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    owner_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.operations.migrate.rehearsal.cluster import RehearsalCluster
from kubectl_kruise.operations.migrate.rehearsal.pods import ready_pod, reference_to, unknown_revision


class Effects:
    """Follows two workloads of a namespace and everything they own."""

    def __init__(
        self, cluster: RehearsalCluster, namespace: str, native: Reference, kruise: Reference
    ) -> None:
        self._cluster = cluster
        version = kruise.api_version.rpartition("/")[2]
        self._name = native.name
        self._deployment = DEPLOYMENT.path(namespace, native.name)
        self._cloneset = CLONESET.path(namespace, kruise.name, version=version)
        self._replicasets = REPLICASET.path(namespace)
        self._pods = POD.path(namespace)
        self._made = 0

    def work(self) -> None:
        """Let everybody react to the last write."""
        over = self._cluster.over
        if self._deployment in over:
            self._steer(over[self._deployment])
        for path, live in list(over.items()):
            if path.startswith(f"{self._replicasets}/") and live is not None and not deleting(live):
                self._fill(live, REPLICASET)
                self._report(path, live)
        cloneset = over.get(self._cloneset)
        if cloneset is not None and not deleting(cloneset):
            if not locked(cloneset):
                self._fill(cloneset, CLONESET)
            self._report(self._cloneset, cloneset)

    def _steer(self, deployment: Raw | None) -> None:
        """Do what the controller of Deployments does, or the collector where it is gone."""
        for replicaset in self._all(self._replicasets):
            path = f"{self._replicasets}/{name_of(replicaset)}"
            if deployment is None:
                owner = owner_of(replicaset) or {}
                if (owner.get("kind"), owner.get("name")) == (DEPLOYMENT.kind, self._name):
                    replicaset["metadata"].pop("ownerReferences")
                    self._cluster.put(path, replicaset)
                continue
            if not owner_uid(replicaset) and same_template(deployment, replicaset):
                replicaset["metadata"]["ownerReferences"] = [reference_to(deployment)]
                self._cluster.put(path, replicaset)
            if owner_uid(replicaset) == uid_of(deployment) and same_template(deployment, replicaset):
                replicaset["spec"]["replicas"] = dig(deployment, ("spec", "replicas"), 1)
                self._cluster.put(path, replicaset)
        if deployment is not None:
            self._report(self._deployment, deployment)

    def _fill(self, owner: Raw, kind: Kind) -> None:
        """Let an owner have as many pods as it wants: those without owner first, then new ones."""
        pods = self._all(self._pods)
        owned = [pod for pod in pods if owner_uid(pod) == uid_of(owner)]
        if kind is REPLICASET:
            wanted = dig(owner, ("spec", "selector", "matchLabels"), {}).items()
            for pod in pods:
                if not owner_uid(pod) and wanted <= labels_of(pod).items():
                    pod["metadata"]["ownerReferences"] = [reference_to(owner)]
                    self._put(pod)
                    owned.append(pod)
        replicas = dig(owner, ("spec", "replicas"), 1)
        for pod in owned[replicas:]:
            self._cluster.put(f"{self._pods}/{name_of(pod)}", None)
        for _ in range(replicas - len(owned)):
            self._put(self._new(owner))

    def _new(self, owner: Raw) -> Raw:
        self._made += 1
        return ready_pod(owner, name=f"{name_of(owner)}-new-{self._made}", uid=f"new-{self._made}")

    def _report(self, path: str, live: Raw) -> None:
        """Write the status that a controller would, all pods being ready."""
        replicas = dig(live, ("spec", "replicas"), 1)
        if live["kind"] != DEPLOYMENT.kind:
            replicas = len([pod for pod in self._all(self._pods) if owner_uid(pod) == uid_of(live)])
        names = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "updatedReadyReplicas")
        status = {**dict.fromkeys(names, replicas), "observedGeneration": metadata(live).get("generation", 1)}
        if live["kind"] == CLONESET.kind:
            revision = dig(live, ("status", "updateRevision")) or unknown_revision(live)
            status |= {"updateRevision": revision, "currentRevision": revision}
        self._cluster.put(path, {**live, "status": {**dig(live, ("status",), {}), **status}})

    def _all(self, collection: str) -> Sequence[Raw]:
        items: Sequence[Raw] = self._cluster.list(collection)["items"]
        return items

    def _put(self, pod: Raw) -> None:
        self._cluster.put(f"{self._pods}/{name_of(pod)}", pod)

"""What controllers would do about the writes of a rehearsal between two sets: the old one leaves, the new one counts its pods."""

from kubectl_kruise.engine.migration.journal import Reference
from kubectl_kruise.engine.migration.ordinals import first_places, ordinal_of
from kubectl_kruise.engine.migration.pairs import SETS
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CONTROLLER_REVISION, POD, PVC, Kind
from kubectl_kruise.facts.names import REVISION_LABEL
from kubectl_kruise.objects.raw import (
    Raw,
    deleting,
    dig,
    labels_of,
    metadata,
    name_of,
    owner_uid,
    uid_of,
)
from kubectl_kruise.objects.retention import retention_of
from kubectl_kruise.operations.migrate.handover.claims import names_of
from kubectl_kruise.operations.migrate.rehearsal.cluster import RehearsalCluster
from kubectl_kruise.operations.migrate.rehearsal.pods import ready_pod, reference_to, unknown_revision


class SetEffects:
    """Follows the two sets of one name and every pod they own."""

    def __init__(
        self, cluster: RehearsalCluster, namespace: str, native: Reference, kruise: Reference
    ) -> None:
        self._cluster = cluster
        version = kruise.api_version.rpartition("/")[2]
        self._paths = {
            SETS.native: SETS.native.path(namespace, native.name),
            SETS.kruise: SETS.kruise.path(namespace, kruise.name, version=version),
        }
        self._pods = POD.path(namespace)
        self._claims = PVC.path(namespace)
        self._revisions = CONTROLLER_REVISION.path(namespace)

    def work(self) -> None:
        """Let the collector and both controllers react to the last write."""
        self._release_revisions()
        for kind, path in self._paths.items():
            live = self._cluster.over.get(path)
            if live is not None and not deleting(live):
                self._adopt(live)
                self._fill(live, kind)
                self._own_claims(live)
                self._report(path, live)

    def _adopt(self, live: Raw) -> None:
        """Take the pods that have no owner and the set's name."""
        for pod in self._all():
            gone = not owner_uid(pod) or self._orphaned(pod)
            if gone and ordinal_of(pod, name_of(live)) >= 0:
                pod["metadata"]["ownerReferences"] = [reference_to(live)]
                self._put(pod)

    def _own_claims(self, live: Raw) -> None:
        """Let the claims of a set belong to it or to nobody, as its policy has it."""
        names, owned = names_of(live, self._owned(live)), retention_of(live)["whenDeleted"] == "Delete"
        for claim in self._cluster.list(self._claims)["items"] if names else ():
            if name_of(claim) in names:
                meta = {**metadata(claim), "ownerReferences": [reference_to(live)] if owned else []}
                self._cluster.put(f"{self._claims}/{name_of(claim)}", {**claim, "metadata": meta})

    def _release_revisions(self) -> None:
        for each in self._cluster.list(self._revisions)["items"]:
            if owner_uid(each) and self._orphaned(each):
                meta = {key: value for key, value in metadata(each).items() if key != "ownerReferences"}
                self._cluster.put(f"{self._revisions}/{name_of(each)}", {**each, "metadata": meta})

    def _orphaned(self, owned: Raw) -> bool:
        """Say whether the owner of a pod or a revision has been deleted in the rehearsal, which leaves what it owned."""
        owners = {uid_of(live) for path in self._paths.values() if (live := self._live(path)) is not None}
        return owner_uid(owned) not in owners

    def _live(self, path: str) -> Raw | None:
        if path in self._cluster.over:
            return self._cluster.over[path]
        try:
            return self._cluster.get(path)
        except NotFoundError:
            return None

    def _fill(self, live: Raw, kind: Kind) -> None:
        """Let a set have a pod in each place whose name is free, and none beyond."""
        places = set(first_places(live, kind, int(dig(live, ("spec", "replicas"), 1))))
        for pod in self._owned(live):
            ordinal = ordinal_of(pod, name_of(live))
            if ordinal in places:
                places.discard(ordinal)
            else:
                self._cluster.put(f"{self._pods}/{name_of(pod)}", None)
        taken = {ordinal_of(pod, name_of(live)) for pod in self._all()}
        for ordinal in sorted(places - taken):
            name = f"{name_of(live)}-{ordinal}"
            self._put(ready_pod(live, name=name, uid=f"new-{name}"))

    def _report(self, path: str, live: Raw) -> None:
        """Write the status that a controller would, all pods being ready."""
        pods = self._owned(live)
        name = dig(live, ("status", "updateRevision")) or unknown_revision(live)
        updated = sum(labels_of(pod).get(REVISION_LABEL) == name for pod in pods)
        status = {
            **dict.fromkeys(("replicas", "readyReplicas", "availableReplicas"), len(pods)),
            "updatedReplicas": updated,
            "updateRevision": name,
            "currentRevision": name,
            "observedGeneration": metadata(live).get("generation", 1),
        }
        self._cluster.put(path, {**live, "status": status})

    def _owned(self, live: Raw) -> list[Raw]:
        return [pod for pod in self._all() if owner_uid(pod) == uid_of(live)]

    def _all(self) -> list[Raw]:
        items: list[Raw] = self._cluster.list(self._pods)["items"]
        return items

    def _put(self, pod: Raw) -> None:
        self._cluster.put(f"{self._pods}/{name_of(pod)}", pod)

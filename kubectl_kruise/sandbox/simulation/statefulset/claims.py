"""The volume claims of a native StatefulSet: created before their pods, owned as the retention policy says."""

from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, key_of
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.errors import ConflictError, KruiseError, ServerError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, PVC
from kubectl_kruise.objects.raw import Raw, deleting, name_of
from kubectl_kruise.sandbox.simulation.statefulset import retention
from kubectl_kruise.sandbox.simulation.statefulset.identity import claims_of, ordinal_of
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet
from kubectl_kruise.sandbox.simulation.statefulset.written import Written

CONTESTED: Final = (
    "PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging controller,"
    " the retention policy is ignored for this claim"
)
"""The misspelt word is the native controller's."""


class SetClaims:
    """The claims of one set in one pass. Every method raises the KruiseError of what could not be done."""

    def __init__(
        self, cluster: Cluster, cache: Informer, recorder: Recorder, written: Written, view: NativeSet
    ) -> None:
        self._cluster, self._cache, self._recorder, self._written = cluster, cache, recorder, written
        self._view = view
        self._made: dict[str, Raw] = {}
        """Claims as this pass has written them, which the cache shows later."""

    def create_missing(self, pod: Raw) -> None:
        """Create the claims of a pod that are not there. Raises ServerError that tells of all that went wrong."""
        failures = []
        for claim in claims_of(self._view, ordinal_of(pod)):
            name = name_of(claim)
            held = self._get(name)
            try:
                if held is None:
                    self._create(pod, claim)
                elif deleting(held):
                    failures.append(f"pvc {name} is being deleted")
            except KruiseError as error:
                failures.append(f"failed to create PVC {name}: {server_words(error)}")
        if failures:
            raise ServerError(failures[0] if len(failures) == 1 else f"[{', '.join(failures)}]")

    def held_back(self, pod: Raw) -> bool:
        """Say whether a claim of the pod to be created still goes with its predecessor."""
        return any(retention.left_by_namesake(self._view, pod, claim) for claim in self._held(pod))

    def owned_rightly(self, pod: Raw) -> bool:
        """Say whether the claims that a pod has go with whom the retention policy says."""
        return all(retention.up_to_date(self._view, pod, claim) for claim in self._held(pod))

    def set_owners(self, pod: Raw) -> None:
        """Let the claims that a pod has be owned as the retention policy says; those still missing are left for later."""
        for claim in self._held(pod):
            name = name_of(claim)
            if retention.contested(self._view, pod, claim):
                self._recorder.warning(
                    NATIVE_STATEFULSET, self._view.raw, "ConflictingController", CONTESTED.format(name)
                )
            if not retention.up_to_date(self._view, pod, claim):
                path = PVC.path(self._view.namespace, name)
                try:
                    self._note(self._cluster.replace(path, retention.with_owners(self._view, pod, claim)))
                except KruiseError as error:
                    text = f"could not update claim {name} for delete policy ownerRefs: {server_words(error)}"
                    raise ServerError(text) from None

    def _create(self, pod: Raw, claim: Raw) -> None:
        which = f"{name_of(claim)} Pod {name_of(pod)} in StatefulSet {self._view.name}"
        try:
            self._note(self._cluster.create(PVC.path(self._view.namespace), claim))
        except KruiseError as error:
            if not isinstance(error, ConflictError):
                which = which.replace(" Pod ", " for Pod ", 1)
                text = f"Create Claim {which} failed error: {server_words(error)}"
                self._recorder.warning(NATIVE_STATEFULSET, self._view.raw, "FailedCreate", text)
            raise
        text = f"Create Claim {which} success"
        self._recorder.normal(NATIVE_STATEFULSET, self._view.raw, "SuccessfulCreate", text)

    def _held(self, pod: Raw) -> list[Raw]:
        names = (name_of(claim) for claim in claims_of(self._view, ordinal_of(pod)))
        return [claim for claim in map(self._get, names) if claim is not None]

    def _get(self, name: str) -> Raw | None:
        return self._made.get(name) or self._cache.get(Key(self._view.namespace, name))

    def _note(self, claim: Raw) -> None:
        self._made[name_of(claim)] = claim
        self._written.note(key_of(self._view.raw), self._cache, claim)

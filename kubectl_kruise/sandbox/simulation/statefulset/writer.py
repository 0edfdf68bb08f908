"""Every write to the pods of a native StatefulSet, with the events that tell of it (SS6)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import key_of
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, POD
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.sandbox.simulation.statefulset.claims import SetClaims
from kubectl_kruise.sandbox.simulation.statefulset.identity import corrected, matches, stores
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet
from kubectl_kruise.sandbox.simulation.statefulset.written import Written

ATTEMPTS: Final = 5
TAKEN: Final = "AlreadyExists"


class SetWriter:
    """The writes of one pass over one set. Every method raises the KruiseError of what could not be done."""

    def __init__(
        self,
        cluster: Cluster,
        pods: Informer,
        claims: SetClaims,
        recorder: Recorder,
        written: Written,
        view: NativeSet,
    ) -> None:
        self._cluster, self._pods, self._recorder, self._written = cluster, pods, recorder, written
        self._claims, self._view = claims, view

    def create(self, pod: Raw) -> bool:
        """Create the claims of a pod, then the pod; False where claims of its predecessor have to go first.

        A name that is taken makes no event: the pod may be one of ours that the cache does not show yet.
        """
        if self._claims.held_back(pod):
            return False
        with self._telling_failure("Create", pod):
            self._claims.create_missing(pod)
        failure: KruiseError | None = None
        try:
            pod = self._cluster.create(POD.path(self._view.namespace), pod)
            self._note(pod)
        except KruiseError as error:
            if error.reason == TAKEN:
                raise
            failure = error
        with self._telling_failure("Update", pod):
            self._claims.set_owners(pod)
        self._tell("Create", pod, failure)
        if failure is not None:
            raise failure
        return True

    def complete_claims(self, pod: Raw) -> None:
        """Create the claims that a pending pod still lacks."""
        self._claims.create_missing(pod)
        with self._telling_failure("Update", pod):
            self._claims.set_owners(pod)

    def correct(self, pod: Raw) -> None:
        """Put labels, volumes and the owners of the claims right, where one is not; then the pod is written in any case."""
        if matches(self._view, pod) and self._claims.owned_rightly(pod):
            return
        with self._telling_failure("Update", pod):
            self._correct(pod)
        self._tell("Update", pod)

    def correct_claims(self, pod: Raw) -> None:
        """Let the claims of a pod that is to go be owned as the retention policy says."""
        if not self._claims.owned_rightly(pod):
            self._claims.set_owners(pod)

    def delete(self, pod: Raw) -> None:
        with self._telling_failure("Delete", pod), suppress(NotFoundError):
            self._note(self._cluster.delete(self._path(pod)))
        self._tell("Delete", pod)

    def _correct(self, pod: Raw) -> None:
        for _ in range(ATTEMPTS - 1):
            try:
                self._correct_once(pod)
            except ConflictError:
                pod = self._cluster.get(self._path(pod))
            else:
                return
        self._correct_once(pod)

    def _correct_once(self, pod: Raw) -> None:
        if not stores(self._view, pod):
            self._claims.create_missing(pod)
        self._claims.set_owners(pod)
        self._note(self._cluster.replace(self._path(pod), corrected(self._view, pod)))

    @contextmanager
    def _telling_failure(self, deed: str, pod: Raw) -> Iterator[None]:
        try:
            yield
        except KruiseError as error:
            self._tell(deed, pod, error)
            raise

    def _tell(self, deed: str, pod: Raw, failure: KruiseError | None = None) -> None:
        text = f"{deed} Pod {name_of(pod)} in StatefulSet {self._view.name}"
        if failure is None:
            self._recorder.normal(
                NATIVE_STATEFULSET, self._view.raw, f"Successful{deed}", f"{text} successful"
            )
        else:
            words = f"{text} failed error: {server_words(failure)}"
            self._recorder.warning(NATIVE_STATEFULSET, self._view.raw, f"Failed{deed}", words)

    def _note(self, pod: Raw) -> None:
        self._written.note(key_of(self._view.raw), self._pods, pod)

    def _path(self, pod: Raw) -> str:
        return POD.path(self._view.namespace, name_of(pod))

"""Writes the volume claims of sets: made before their pods, handed over, grown (advanced-statefulset.md §16)."""

from collections.abc import Callable

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.statefulset.caches import Caches
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.engine.statefulset.claims import (
    Growth,
    existing_claims,
    grown,
    growth,
    may_grow,
    new_claims,
    with_owners,
)
from kubectl_kruise.engine.statefulset.member import Member
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError, RefusedError
from kubectl_kruise.facts.kinds import PVC, STATEFULSET, STORAGE_CLASS
from kubectl_kruise.objects.raw import Raw, deleting, dig, name_of, namespace_of


class ClaimKeeper:
    """Every method raises the KruiseError of a request that was refused; nothing is done for the pod then."""

    def __init__(
        self, cluster: Cluster, caches: Caches, versions: VersionExpectations, recorder: Recorder
    ) -> None:
        self._cluster, self._caches, self._versions, self._recorder = cluster, caches, versions, recorder

    def lookup(self, view: AdvancedStatefulSet) -> Callable[[str], Raw | None]:
        """Give what finds a claim of the set by its name, as the cache has it."""
        return lambda name: self._caches.claim(view.namespace, name)

    def behind(self, view: AdvancedStatefulSet, ordinals: list[int]) -> float | None:
        """Give the seconds to wait until the cache shows claims as they were written here, None for none."""
        find = self.lookup(view)
        waits = (
            self._versions.wait(claim)
            for ordinal in ordinals
            for _, claim in existing_claims(view, ordinal, find)
        )
        return min((wait for wait in waits if wait is not None), default=None)

    def ensure(self, view: AdvancedStatefulSet, member: Member) -> None:
        """Create the claims of a pod that are missing; one that is being deleted holds the pod back ([V-2])."""
        failures = []
        made: list[Raw] = []
        for claim in new_claims(view, member.ordinal):
            known = self._caches.claim(view.namespace, name_of(claim))
            try:
                made.append(self._create(view, member, claim) if known is None else _kept(known))
            except KruiseError as error:
                failures.append(error)
        if failures:
            raise _together(failures)
        if view.gates.auto_delete_claims:
            for claim in made:
                self._own(view, member, claim, scaled_down=False)

    def own(self, view: AdvancedStatefulSet, member: Member, *, scaled_down: bool) -> None:
        """Give the claims of a pod the owners that the retention policy asks for (§16.3)."""
        if not view.gates.auto_delete_claims:
            return
        for claim in new_claims(view, member.ordinal):
            if (known := self._caches.claim(view.namespace, name_of(claim))) is not None:
                self._own(view, member, known, scaled_down=scaled_down)

    def grow(self, view: AdvancedStatefulSet, member: Member) -> None:
        """Let every claim of the pod that is smaller than its template grow ([V-33])."""
        for template, claim in existing_claims(view, member.ordinal, self.lookup(view)):
            match growth(claim, template):
                case Growth.OTHER_KIND:
                    text = f"claim {name_of(claim)} differs from its template in more than its size"
                    self._recorder.warning(STATEFULSET, view.raw, "FailedUpdatePVC", text)
                    raise RefusedError(text)
                case Growth.SMALLER:
                    self._grow(view, member, claim, template)

    def _create(self, view: AdvancedStatefulSet, member: Member, claim: Raw) -> Raw:
        name = name_of(claim)
        try:
            created = self._cluster.create(PVC.path(view.namespace), claim)
        except ConflictError:  # somebody was quicker: it is there
            return _kept(self._cluster.get(PVC.path(view.namespace, name)))
        except KruiseError as error:
            text = f"create Claim {name} for Pod {member.name} in StatefulSet {view.name} failed error: {server_words(error)}"
            self._recorder.warning(STATEFULSET, view.raw, "FailedCreate", text)
            raise
        text = f"create Claim {name} Pod {member.name} in StatefulSet {view.name} success"
        self._recorder.normal(STATEFULSET, view.raw, "SuccessfulCreate", text)
        return created

    def _own(self, view: AdvancedStatefulSet, member: Member, claim: Raw, *, scaled_down: bool) -> None:
        changed = with_owners(view, claim, member.pod, scaled_down=scaled_down)
        if changed is not None:
            self._replace(changed)

    def _grow(self, view: AdvancedStatefulSet, member: Member, claim: Raw, template: Raw) -> None:
        name = name_of(claim)
        about = f"resize Claim {name} Pod {member.name} in StatefulSet {view.name}"
        try:
            if (used := dig(claim, ("spec", "storageClassName"))) and not may_grow(self._class(used)):
                raise RefusedError(f"storage class {used} does not support volume expansion")
            self._replace(grown(view, claim, template))
        except KruiseError as error:
            text = f"{about} failed error: {server_words(error)}"
            self._recorder.warning(STATEFULSET, view.raw, "FailedResize", text)
            raise
        self._recorder.normal(STATEFULSET, view.raw, "SuccessfulResize", f"{about} success")

    def _class(self, name: str) -> Raw | None:
        try:
            return self._cluster.get(STORAGE_CLASS.path(name=name))
        except NotFoundError:
            return None

    def _replace(self, claim: Raw) -> None:
        path = PVC.path(namespace_of(claim), name_of(claim))
        self._versions.expect(self._cluster.replace(path, claim))


def _kept(claim: Raw) -> Raw:
    if deleting(claim):
        raise RefusedError(f"pvc {name_of(claim)} is to be deleted")
    return claim


def _together(failures: list[KruiseError]) -> KruiseError:
    """Give one failure for several, in the words of all of them."""
    if len(failures) == 1:
        return failures[0]
    return RefusedError(f"[{', '.join(dict.fromkeys(map(server_words, failures)))}]")

"""Carries the steps of a pass out, each with the events that tell of it (advanced-statefulset.md §5 [E-1], §12)."""

from typing import Final

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.statefulset.claims import ClaimKeeper
from kubectl_kruise.controllers.statefulset.snapshot import Snapshot
from kubectl_kruise.controllers.watching.expectations import VersionExpectations
from kubectl_kruise.controllers.writing.inplace import Begin, InPlaceWriter
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.population import Population, server_words
from kubectl_kruise.controllers.writing.resizing import Resizer
from kubectl_kruise.controllers.writing.slow_start import slow_start
from kubectl_kruise.engine.lifecycle import prepare_patch, state_patch
from kubectl_kruise.engine.service_gate import mark, unmark
from kubectl_kruise.engine.statefulset.creation import with_identity
from kubectl_kruise.engine.statefulset.ordinals import storage_matches
from kubectl_kruise.engine.statefulset.status import FAILED_CREATE, FAILED_UPDATE
from kubectl_kruise.engine.statefulset.steps import (
    Create,
    Delete,
    EnsureClaims,
    Fail,
    Hold,
    InPlace,
    OwnClaims,
    Phase,
    PrepareDelete,
    PrepareUpdate,
    Refresh,
    Repair,
    ResizeClaims,
    Step,
)
from kubectl_kruise.errors import KruiseError, RefusedError
from kubectl_kruise.facts.kinds import POD, STATEFULSET
from kubectl_kruise.facts.names import BEFORE_DELETION, BEFORE_UPDATE, REVISION_LABEL
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import PREPARING_DELETE, UPDATED
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of, uid_of

ALREADY_EXISTS: Final = "AlreadyExists"


class Actor:
    """Carries out what the engine has decided. `parallel` bounds requests at a time."""

    def __init__(
        self,
        cluster: Cluster,
        pods: Informer,
        versions: VersionExpectations,
        population: Population,
        claims: ClaimKeeper,
        recorder: Recorder,
        *,
        vertical_scaling: bool,
        parallel: int,
    ) -> None:
        self._cluster, self._population, self._claims = cluster, population, claims
        self._recorder, self._parallel = recorder, parallel
        self._writer = PodWriter(cluster, versions)
        resizer = Resizer(cluster, self._writer)
        self._in_place = InPlaceWriter(self._writer, resizer, pods, vertical_scaling=vertical_scaling)

    def carry_out(self, snapshot: Snapshot, phase: Phase) -> None:
        """Do the steps of a phase; raises the KruiseError of the first one that fails, and does no more."""
        if phase.wait:
            snapshot.waits.append(phase.wait)
        if phase.together:
            outcome = slow_start(
                phase.steps, lambda step: self._take(snapshot, step), parallel=self._parallel
            )
            if outcome.failure is not None:
                raise outcome.failure
            return
        for step in phase.steps:
            if isinstance(step, InPlace) and (left := self._refused(snapshot, step)):
                snapshot.waits.append(left)
                return
            self._take(snapshot, step)

    def forget(self, key: Key) -> None:
        self._in_place.refusals.forget(key)

    def _refused(self, snapshot: Snapshot, step: InPlace) -> float:
        return self._in_place.refusals.left(snapshot.key, step.change.revision, snapshot.now)

    def _take(self, snapshot: Snapshot, step: Step) -> None:
        match step:
            case Create():
                self._create(snapshot, step)
            case EnsureClaims(member):
                self._claims.ensure(snapshot.view, member)
            case OwnClaims(member):
                self._claims.own(snapshot.view, member, scaled_down=True)
            case Refresh():
                self._refresh(snapshot, step)
            case Repair():
                self._repair(snapshot, step)
            case Delete(member):
                self._delete(snapshot, member.pod, terminating=member.terminating)
            case PrepareDelete():
                self._prepare_deletion(snapshot, step)
            case PrepareUpdate():
                self._prepare_update(snapshot, step)
            case InPlace():
                self._begin(snapshot, step)
            case ResizeClaims(member):
                self._claims.grow(snapshot.view, member)
            case Fail(message):
                raise RefusedError(message)
        if isinstance(step, Delete | PrepareUpdate | InPlace | Hold) and step.lowers is not None:
            snapshot.lowered[step.lowers] += 1

    def _create(self, snapshot: Snapshot, step: Create) -> None:
        """Create the claims, then the pod, then see to it who owns the claims ([P-21] b)."""
        view, member = snapshot.view, step.member
        about = f"create Pod {member.name} in StatefulSet {view.name}"
        try:
            self._claims.ensure(view, member)
            self._population.create(snapshot.key, POD, member.pod)
        except KruiseError as error:
            text = server_words(error)
            if error.reason != ALREADY_EXISTS:
                self._recorder.warning(STATEFULSET, view.raw, "FailedCreate", f"{about} failed error: {text}")
            failure = f"StatefulPodControl failed to create Pod error: {text}"
            snapshot.conditions.append((FAILED_CREATE, failure))
            raise
        self._recorder.normal(STATEFULSET, view.raw, "SuccessfulCreate", f"{about} successful")

    def _repair(self, snapshot: Snapshot, step: Repair) -> None:
        """Give the pod its labels and volumes, and its claims their owners; missing ones come with the volumes ([I-7])."""
        view, member = snapshot.view, step.member
        about = f"update Pod {member.name} in StatefulSet {view.name}"
        try:
            if storage_matches(member.pod, view.name, member.ordinal, view.claim_names):
                self._claims.own(view, member, scaled_down=False)
            else:
                self._claims.ensure(view, member)
            self._writer.change(member.pod, lambda fresh: with_identity(view, fresh))
        except KruiseError as error:
            text = server_words(error)
            self._recorder.warning(STATEFULSET, view.raw, "FailedUpdate", f"{about} failed error: {text}")
            failure = f"StatefulPodControl failed to update Pod error: {text}"
            snapshot.conditions.append((FAILED_UPDATE, failure))
            raise
        self._recorder.normal(STATEFULSET, view.raw, "SuccessfulUpdate", f"{about} successful")

    def _refresh(self, snapshot: Snapshot, step: Refresh) -> None:
        pod, now = self._in_place.freshest(step.member.pod), rfc3339(snapshot.now)
        self._in_place.refresh(pod, snapshot.now, snapshot.waits.append)
        if not step.state:
            return
        if step.state == UPDATED and self._marks(snapshot, "inPlaceUpdate"):
            self._writer.change_status(pod, lambda fresh: unmark(fresh, BEFORE_UPDATE, now))
        self._writer.patch(pod, state_patch(step.state, now))

    def _delete(self, snapshot: Snapshot, pod: Raw, *, terminating: bool) -> None:
        """Delete the pod; one that ends already is asked to once more, which nothing will show ([P-56])."""
        name, owner = name_of(pod), snapshot.view.raw
        about = f"delete Pod {name} in StatefulSet {snapshot.view.name}"
        try:
            if terminating:
                options = {"preconditions": {"uid": uid_of(pod)}}
                self._cluster.delete(POD.path(namespace_of(pod), name), options=options)
            else:
                self._population.delete(snapshot.key, POD, pod)
        except KruiseError as error:
            text = server_words(error)
            self._recorder.warning(STATEFULSET, owner, "FailedDelete", f"{about} failed error: {text}")
            self._recorder.warning(STATEFULSET, owner, "FailedDelete", f"failed to delete pod {name}: {text}")
            raise
        self._recorder.normal(STATEFULSET, owner, "SuccessfulDelete", f"{about} successful")

    def _prepare_deletion(self, snapshot: Snapshot, step: PrepareDelete) -> None:
        pod, now = step.member.pod, rfc3339(snapshot.now)
        if self._marks(snapshot, "preDelete"):
            pod = self._writer.change_status(pod, lambda fresh: mark(fresh, BEFORE_DELETION, now))
        if step.enters:
            self._writer.patch(pod, state_patch(PREPARING_DELETE, now))

    def _prepare_update(self, snapshot: Snapshot, step: PrepareUpdate) -> None:
        pod, now = step.member.pod, rfc3339(snapshot.now)
        if self._marks(snapshot, "inPlaceUpdate"):
            pod = self._writer.change_status(pod, lambda fresh: mark(fresh, BEFORE_UPDATE, now))
        hook = snapshot.view.hook("inPlaceUpdate") if step.rehook else None
        self._writer.patch(pod, prepare_patch(pod, hook, now))

    def _begin(self, snapshot: Snapshot, step: InPlace) -> None:
        member, change, owner = step.member, step.change, snapshot.view.raw
        begin = Begin(change, {REVISION_LABEL: change.revision}, enters=bool(member.state))
        about = f"update pod {member.name} in-place(revision {change.revision})"
        try:
            self._in_place.begin(snapshot.key, member.pod, begin, snapshot.now)
        except KruiseError as error:
            text = f"failed to {about}: {server_words(error)}"
            self._recorder.warning(STATEFULSET, owner, "FailedUpdatePodInPlace", text)
            raise
        self._recorder.normal(STATEFULSET, owner, "SuccessfulUpdatePodInPlace", f"successfully {about}")

    @staticmethod
    def _marks(snapshot: Snapshot, hook: str) -> bool:
        return bool((snapshot.view.hook(hook) or {}).get("markPodNotReady"))

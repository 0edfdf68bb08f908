"""Carries the update phase out: refreshes every pod, then updates the chosen ones (cloneset.md §14)."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.cluster.bulk import act_on_all
from kubectl_kruise.controllers.cloneset.permission import ASK_AGAIN_SECONDS, BudgetDesk
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, key_of
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.controllers.writing.refusals import Refusals
from kubectl_kruise.controllers.writing.resizing import Resizer
from kubectl_kruise.engine.cloneset.member import members_for_update
from kubectl_kruise.engine.cloneset.update import InPlace, Prepare, Recreate, Refuse, Step, Wait, plan_update
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.execution import first_resources, go_on, plan_refresh, start_update
from kubectl_kruise.engine.inplace.readiness import close_gate, must_close
from kubectl_kruise.engine.lifecycle import next_state, prepare_patch, state_patch
from kubectl_kruise.engine.service_gate import mark, unmark
from kubectl_kruise.errors import ConflictError, KruiseError, RefusedError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import BEFORE_UPDATE, SPECIFIED_DELETE_LABEL, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import UPDATED, active, revision, short_hash
from kubectl_kruise.objects.raw import Raw, labels_of, name_of, uid_of

Later = Callable[[float], None]
"""Takes the seconds until the CloneSet wants another look."""
OVERTAKEN_SECONDS: Final = 1.0
"""When to look again at a pod that was overtaken, should no change of it be seen."""


class Updater:
    """The update phase of one controller."""

    def __init__(
        self,
        writer: PodWriter,
        resizer: Resizer,
        recorder: Recorder,
        pods: Informer,
        *,
        desk: BudgetDesk | None = None,
        parallel: int,
    ) -> None:
        """Update pods; where there is a `desk` for budgets, each only by its leave."""
        self._writer, self._resizer, self._recorder = writer, resizer, recorder
        self._pods, self._desk, self._parallel = pods, desk, parallel
        self._refusals = Refusals()

    def forget(self, key: Key) -> None:
        self._refusals.forget(key)

    def update(self, snapshot: Snapshot, later: Later) -> None:
        """Refresh all pods; only if none has changed its state, update those that are next.

        Raises the first KruiseError; pods to be updated behind it wait for the next pass.
        """
        if self._refresh_all(snapshot, later):
            return
        view = snapshot.view
        members = members_for_update(view, snapshot.pods, name_of(snapshot.update), snapshot.now)
        plan = plan_update(
            view,
            members,
            snapshot.difference(members),
            snapshot.revisions,
            current=snapshot.current,
            update=snapshot.update,
        )
        for step in plan.steps:
            if isinstance(step, InPlace) and (
                left := self._refusals.left(snapshot.key, step.change.revision, snapshot.now)
            ):
                later(left)
                return
            if self._desk is not None and not self._desk.permits(step.pod):
                later(ASK_AGAIN_SECONDS)
                return
            self._take(snapshot, step, later)

    def _refresh_all(self, snapshot: Snapshot, later: Later) -> bool:
        changed: list[Raw] = []

        def refresh(pod: Raw) -> None:
            if self._refresh(snapshot, pod, later):
                changed.append(pod)

        due = [pod for pod in snapshot.pods if self._due(snapshot, pod, later)]
        outcome = act_on_all(due, refresh, parallel=self._parallel)
        if outcome.failure is not None:
            raise outcome.failure
        return bool(changed)

    def _due(self, snapshot: Snapshot, pod: Raw, later: Later) -> bool:
        """Say whether a pod is to be brought forward: of many pods few are."""
        gates = snapshot.view.gates
        try:
            refresh = plan_refresh(pod, snapshot.now, vertical_scaling=gates.vertical_scaling)
        except RefusedError:
            return True  # the others come first, then it is told
        if refresh.wait:
            later(refresh.wait)
        return (
            refresh.status is not None
            or refresh.pod is not None
            or TEMPLATE_HASH_LABEL not in labels_of(pod)
            or bool(self._next_state(snapshot, pod))
        )

    def _next_state(self, snapshot: Snapshot, pod: Raw) -> str:
        return next_state(
            pod,
            snapshot.view.lifecycle,
            name_of(snapshot.update),
            vertical_scaling=snapshot.view.gates.vertical_scaling,
        )

    def _refresh(self, snapshot: Snapshot, pod: Raw, later: Later) -> bool:
        """Bring one pod a step forward; say whether its state or its labels changed."""
        pod = self._freshest(pod)
        vertical_scaling = snapshot.view.gates.vertical_scaling
        refresh = plan_refresh(pod, snapshot.now, vertical_scaling=vertical_scaling)
        if refresh.wait:
            later(refresh.wait)
        if refresh.status is not None:
            self._open_gate(refresh.status, later)
        elif refresh.pod is not None:
            self._writer.change(pod, lambda fresh: self._go_on(snapshot, fresh))
        changed = False
        if new := self._next_state(snapshot, pod):
            if new == UPDATED and self._marks(snapshot):
                now = rfc3339(snapshot.now)
                self._writer.change_status(pod, lambda fresh: unmark(fresh, BEFORE_UPDATE, now))
            self._writer.patch(pod, state_patch(new, rfc3339(snapshot.now)))
            changed = True
        if TEMPLATE_HASH_LABEL not in labels_of(pod):
            label = {TEMPLATE_HASH_LABEL: short_hash(revision(pod))}
            self._writer.patch(pod, {"metadata": {"labels": label}})
            changed = True
        return changed

    def _go_on(self, snapshot: Snapshot, pod: Raw) -> Raw:
        """Give the pod with its next batch, or with what its grace period held back; the resize of it is done by then."""
        refresh = plan_refresh(pod, snapshot.now, vertical_scaling=snapshot.view.gates.vertical_scaling)
        if refresh.pod is None or not refresh.resources:
            return refresh.pod or pod
        return go_on(self._resizer.resize(pod, refresh.resources), snapshot.now)

    def _open_gate(self, pod: Raw, later: Later) -> None:
        """Write the gate, unless the pod has changed meanwhile: another pass, which its change brings, judges anew."""
        try:
            self._writer.replace(pod, "status")
        except ConflictError:
            later(OVERTAKEN_SECONDS)

    def _freshest(self, pod: Raw) -> Raw:
        """Give the pod as the cache has it by now: a pass over many pods takes longer than a kubelet does."""
        cached = self._pods.get(key_of(pod))
        return cached if cached is not None and uid_of(cached) == uid_of(pod) and active(cached) else pod

    def _take(self, snapshot: Snapshot, step: Step, later: Later) -> None:
        match step:
            case Recreate(pod, target):
                self._recreate(snapshot, pod, target)
            case InPlace(pod, change):
                self._in_place(snapshot, pod, change)
                if change.grace_seconds > 0:
                    later(change.grace_seconds)
            case Prepare(pod, rehook):
                self._prepare(snapshot, pod, rehook=rehook)
            case Refuse(_, message):
                raise RefusedError(message)
            case Wait():
                pass

    def _prepare(self, snapshot: Snapshot, pod: Raw, *, rehook: bool) -> None:
        now = rfc3339(snapshot.now)
        if self._marks(snapshot):
            pod = self._writer.change_status(pod, lambda fresh: mark(fresh, BEFORE_UPDATE, now))
        hook = snapshot.view.hook("inPlaceUpdate") if rehook else None
        self._writer.patch(pod, prepare_patch(pod, hook, now))

    @staticmethod
    def _marks(snapshot: Snapshot) -> bool:
        return bool((snapshot.view.hook("inPlaceUpdate") or {}).get("markPodNotReady"))

    def _recreate(self, snapshot: Snapshot, pod: Raw, target: str) -> None:
        name, owner = name_of(pod), snapshot.view.raw
        if SPECIFIED_DELETE_LABEL not in labels_of(pod):
            try:
                self._writer.patch(pod, {"metadata": {"labels": {SPECIFIED_DELETE_LABEL: "true"}}})
            except KruiseError as error:
                text = f"failed to patch pod {name} specified-delete for update(revision {target}): {server_words(error)}"
                self._recorder.warning(CLONESET, owner, "FailedUpdatePodReCreate", text)
                raise
        text = f"successfully patch pod {name} specified-delete for update(revision {target})"
        self._recorder.normal(CLONESET, owner, "SuccessfulUpdatePodReCreate", text)

    def _in_place(self, snapshot: Snapshot, pod: Raw, change: Change) -> None:
        """Take the pod out of service, resize it, then write labels, state and images at once (cloneset.md §17.1)."""
        name, owner, now = name_of(pod), snapshot.view.raw, snapshot.now
        origin, gates = revision(pod), snapshot.view.gates

        def close(fresh: Raw) -> Raw:
            return close_gate(_unmoved(fresh, origin), rfc3339(now))

        def start(fresh: Raw) -> Raw:
            fresh = _unmoved(fresh, origin)
            fresh = self._resizer.resize(fresh, first_resources(fresh, change))
            return start_update(fresh, change, now, short_hash=gates.short_hash)

        closed = must_close(pod, change, vertical_scaling=gates.vertical_scaling)
        try:
            if closed:
                pod = self._writer.change(pod, close, "status")
            self._writer.change(pod, start)
        except KruiseError as error:
            if closed and not isinstance(error, ConflictError):
                self._refusals.note(snapshot.key, change.revision, now)
            text = f"failed to update pod {name} in-place(revision {change.revision}): {server_words(error)}"
            self._recorder.warning(CLONESET, owner, "FailedUpdatePodInPlace", text)
            raise
        self._refusals.forget(snapshot.key)
        text = f"successfully update pod {name} in-place(revision {change.revision})"
        self._recorder.normal(CLONESET, owner, "SuccessfulUpdatePodInPlace", text)


def _unmoved(pod: Raw, origin: str) -> Raw:
    """Give the pod; raises ConflictError where it is no longer what was chosen: taken down again it would be one too many."""
    if revision(pod) != origin or not active(pod):
        raise ConflictError(f"pod {name_of(pod)} has changed since it was chosen for the update")
    return pod

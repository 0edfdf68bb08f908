"""Carries the update phase out: refreshes every pod, then updates the chosen ones (cloneset.md §14)."""

from kubectl_kruise.cluster.bulk import act_on_all
from kubectl_kruise.controllers.cloneset.permission import ASK_AGAIN_SECONDS, BudgetDesk
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.controllers.writing.inplace import Begin, InPlaceWriter, Later
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.population import server_words
from kubectl_kruise.engine.cloneset.member import members_for_update
from kubectl_kruise.engine.cloneset.update import InPlace, Prepare, Recreate, Refuse, Step, Wait, plan_update
from kubectl_kruise.engine.inplace.change import Change
from kubectl_kruise.engine.inplace.execution import plan_refresh, revision_labels
from kubectl_kruise.engine.lifecycle import next_state, prepare_patch, state_patch
from kubectl_kruise.engine.service_gate import mark, unmark
from kubectl_kruise.errors import KruiseError, RefusedError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.names import BEFORE_UPDATE, SPECIFIED_DELETE_LABEL, TEMPLATE_HASH_LABEL
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import UPDATED, revision, short_hash
from kubectl_kruise.objects.raw import Raw, labels_of, name_of


class Updater:
    """The update phase of one controller."""

    def __init__(
        self,
        writer: PodWriter,
        in_place: InPlaceWriter,
        recorder: Recorder,
        *,
        desk: BudgetDesk | None = None,
        parallel: int,
    ) -> None:
        """Update pods; where there is a `desk` for budgets, each only by its leave."""
        self._writer, self._in_place, self._recorder = writer, in_place, recorder
        self._desk, self._parallel = desk, parallel

    def forget(self, key: Key) -> None:
        self._in_place.refusals.forget(key)

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
                left := self._in_place.refusals.left(snapshot.key, step.change.revision, snapshot.now)
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
        pod = self._in_place.freshest(pod)
        self._in_place.refresh(pod, snapshot.now, later)
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

    def _take(self, snapshot: Snapshot, step: Step, later: Later) -> None:
        match step:
            case Recreate(pod, target):
                self._recreate(snapshot, pod, target)
            case InPlace(pod, change):
                self._begin(snapshot, pod, change)
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

    def _begin(self, snapshot: Snapshot, pod: Raw, change: Change) -> None:
        name, owner = name_of(pod), snapshot.view.raw
        labels = revision_labels(change.revision, short=snapshot.view.gates.short_hash)
        try:
            self._in_place.begin(snapshot.key, pod, Begin(change, labels), snapshot.now)
        except KruiseError as error:
            text = f"failed to update pod {name} in-place(revision {change.revision}): {server_words(error)}"
            self._recorder.warning(CLONESET, owner, "FailedUpdatePodInPlace", text)
            raise
        text = f"successfully update pod {name} in-place(revision {change.revision})"
        self._recorder.normal(CLONESET, owner, "SuccessfulUpdatePodInPlace", text)

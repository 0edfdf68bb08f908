"""Carries a scale plan out: pods and claims created and deleted, each expected before it is asked for."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.population import Population, server_words
from kubectl_kruise.controllers.writing.slow_start import slow_start
from kubectl_kruise.engine.cloneset.creation import NewPod, new_pod, pick_instance_ids
from kubectl_kruise.engine.cloneset.member import members_for_scale
from kubectl_kruise.engine.cloneset.scale import Deletion, ScalePlan, plan_scale
from kubectl_kruise.engine.lifecycle import state_patch
from kubectl_kruise.engine.service_gate import mark
from kubectl_kruise.errors import KruiseError, NotAllowedError, NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, NODE, POD, PVC, Kind
from kubectl_kruise.facts.names import BEFORE_DELETION, INSTANCE_ID_LABEL
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.pod import PREPARING_DELETE, PREPARING_NORMAL
from kubectl_kruise.objects.raw import Raw, labels_of, name_of

Item = TypeVar("Item")


class Scaled(NamedTuple):
    """`modified` keeps the update phase for the next pass; a failure is reported either way."""

    modified: bool
    failure: KruiseError | None = None


class Scaler:
    """The scale phase of one controller. `draw` gives a random instance id, `parallel` bounds requests at a time."""

    def __init__(
        self,
        cluster: Cluster,
        writer: PodWriter,
        population: Population,
        recorder: Recorder,
        *,
        draw: Callable[[], str],
        parallel: int,
    ) -> None:
        self._cluster, self._writer, self._population = cluster, writer, population
        self._recorder, self._draw, self._parallel = recorder, draw, parallel

    def scale(self, snapshot: Snapshot) -> Scaled:
        """Plan and carry out the scale phase of one pass (cloneset.md §11)."""
        view = snapshot.view
        members = members_for_scale(view, snapshot.pods, name_of(snapshot.update), snapshot.now)
        plan = plan_scale(view, members, snapshot.difference(members), self._topology())
        if plan.limited is not None:
            text = f"scaleUp is limited because of scaleStrategy.maxUnavailable, limit: {plan.limited}"
            self._recorder.warning(CLONESET, view.raw, "ScaleUpLimited", text)
        if plan.revive:
            return self._one_by_one(plan.revive, lambda pod: self._revive(snapshot, pod))
        if plan.create_old or plan.create_new:
            return self._create(snapshot, plan)
        outcome = self._one_by_one(plan.deletions, lambda deletion: self._remove(snapshot, deletion))
        return outcome if outcome.failure is not None else Scaled(plan.modifies)

    def _one_by_one(self, items: Sequence[Item], act: Callable[[Item], None]) -> Scaled:
        """Act in order until one fails; what was done before it counts."""
        for place, item in enumerate(items):
            try:
                act(item)
            except KruiseError as error:
                return Scaled(place > 0, error)
        return Scaled(bool(items))

    def _create(self, snapshot: Snapshot, plan: ScalePlan) -> Scaled:
        count = plan.create_old + plan.create_new
        ids = pick_instance_ids(
            count,
            pods=[*snapshot.pods, *snapshot.inactive],
            active=snapshot.pods,
            claims=snapshot.claims,
            draw=self._draw,
        )
        existing = {name_of(claim) for claim in snapshot.claims}
        made = [
            new_pod(
                snapshot.view,
                snapshot.current if place < plan.create_old else snapshot.update,
                instance_id,
                existing,
                rfc3339(snapshot.now),
            )
            for place, instance_id in enumerate(ids)
        ]
        outcome = slow_start(made, lambda new: self._create_pod(snapshot, new), parallel=self._parallel)
        return Scaled(outcome.done > 0, outcome.failure)

    def _create_pod(self, snapshot: Snapshot, new: NewPod) -> None:
        """Create the claims, then the pod; a claim that cannot be had leaves no pod without it."""
        owner = snapshot.view.raw
        for kind, raw in [*((PVC, claim) for claim in new.claims), (POD, new.pod)]:
            try:
                self._population.create(snapshot.key, kind, raw)
            except KruiseError as error:
                what = "pod" if kind is POD else "pvc"
                text = f"failed to create {what}: {server_words(error)}"
                self._recorder.warning(CLONESET, owner, "FailedCreate", text)
                raise
        text = f"succeed to create pod {name_of(new.pod)}"
        self._recorder.normal(CLONESET, owner, "SuccessfulCreate", text)

    def _revive(self, snapshot: Snapshot, pod: Raw) -> None:
        self._writer.patch(pod, state_patch(PREPARING_NORMAL, rfc3339(snapshot.now)))

    def _remove(self, snapshot: Snapshot, deletion: Deletion) -> None:
        if not deletion.held:
            self._delete_pod(snapshot, deletion.pod)
            return
        pod, now = deletion.pod, rfc3339(snapshot.now)
        if (snapshot.view.hook("preDelete") or {}).get("markPodNotReady"):
            pod = self._writer.change_status(pod, lambda fresh: mark(fresh, BEFORE_DELETION, now))
        if deletion.changes:
            self._writer.patch(pod, state_patch(PREPARING_DELETE, now))

    def _delete_pod(self, snapshot: Snapshot, pod: Raw) -> None:
        """Delete the pod, then every claim that shares its instance id."""
        self._delete(snapshot, POD, pod)
        self._recorder.normal(
            CLONESET, snapshot.view.raw, "SuccessfulDelete", f"succeed to delete pod {name_of(pod)}"
        )
        instance_id = labels_of(pod).get(INSTANCE_ID_LABEL)
        for claim in snapshot.claims:
            if instance_id and labels_of(claim).get(INSTANCE_ID_LABEL) == instance_id:
                self._delete(snapshot, PVC, claim)

    def _delete(self, snapshot: Snapshot, kind: Kind, raw: Raw) -> None:
        try:
            self._population.delete(snapshot.key, kind, raw)
        except KruiseError as error:
            text = f"failed to delete {kind.singular} {name_of(raw)}: {server_words(error)}"
            self._recorder.warning(CLONESET, snapshot.view.raw, "FailedDelete", text)
            raise

    def _topology(self) -> Callable[[str, str], str | None]:
        """Read nodes when their labels are asked for, each once; one that cannot be read has none."""
        seen: dict[str, dict[str, str]] = {}

        def label(node: str, key: str) -> str | None:
            if node not in seen:
                try:
                    seen[node] = labels_of(self._cluster.get(NODE.path(name=node)))
                except (NotFoundError, NotAllowedError):
                    seen[node] = {}
            return seen[node].get(key)

        return label

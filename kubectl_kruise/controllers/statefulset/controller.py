"""One pass over an Advanced StatefulSet: read, claim, settle revisions, carry the plan out, report."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.equipment import REST, TIDY_SECONDS, Equipment
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.opening import Opened
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.controllers.statefulset.acting import Actor
from kubectl_kruise.controllers.statefulset.adopting import Adopter
from kubectl_kruise.controllers.statefulset.caches import Caches
from kubectl_kruise.controllers.statefulset.claims import ClaimKeeper
from kubectl_kruise.controllers.statefulset.reporting import Reporter
from kubectl_kruise.controllers.statefulset.snapshot import Snapshot
from kubectl_kruise.controllers.statefulset.triggers import Triggers
from kubectl_kruise.controllers.watching.expectations import (
    EXPECTATION_SECONDS,
)
from kubectl_kruise.controllers.watching.pulljobs import PullJobs
from kubectl_kruise.engine.admission.statefulset_defaults import default_statefulset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.revisions.choice import choose_current
from kubectl_kruise.engine.statefulset.plan import plan_pass
from kubectl_kruise.engine.statefulset.predownload import rollout_of
from kubectl_kruise.engine.statefulset.situation import Situation
from kubectl_kruise.engine.statefulset.slots import assign_slots
from kubectl_kruise.engine.statefulset.view import AdvancedStatefulSet, read_statefulset
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import STATEFULSET

COMPONENT: Final = "statefulset-controller"


class StatefulSetController:
    """Creates, scales and updates the pods of Advanced StatefulSets, in place where the strategy asks for it."""

    name = "statefulset"
    workers: int
    informers: Sequence[Informer]

    def __init__(
        self,
        cluster: Cluster,
        clock: Clock,
        caches: Caches,
        *,
        gates: Gates,
        workers: int,
        pull_jobs: PullJobs | None,
        parallel: int,
        expectation_seconds: float = EXPECTATION_SECONDS,
    ) -> None:
        self.queue = Queue(clock, rest=REST)
        self.informers = (*caches, *([] if pull_jobs is None else [pull_jobs.informer]))
        self.workers = workers
        self._clock, self._caches = clock, caches
        tools = self._tools = Equipment(
            cluster,
            clock,
            STATEFULSET,
            COMPONENT,
            pods=caches.pods,
            claims=caches.claims,
            pull_jobs=pull_jobs,
            expectation_seconds=expectation_seconds,
            gives_up=gates.give_up_expectations,
        )
        self._claims = ClaimKeeper(cluster, caches, tools.versions, tools.recorder)
        self._adopter = Adopter(cluster, tools.versions)
        self._actor = Actor(
            cluster,
            caches.pods,
            tools.versions,
            tools.population,
            self._claims,
            tools.recorder,
            vertical_scaling=gates.vertical_scaling,
            parallel=parallel,
        )
        self._reporter = Reporter(cluster, tools.written)
        self._opening = tools.opening(
            partial(read_statefulset, gates=gates), partial(default_statefulset, gates=gates), [self._actor]
        )
        Triggers(self.queue, caches, tools.expectations, tools.versions)

    def reconcile(self, key: Key) -> float | None:
        opened = self._opening.open(key, self._caches.sets.get(key))
        if opened is None:
            return None
        if (wait := self._tools.wait(key)) is not None:
            return wait
        found = self._read(key, opened)
        return found if isinstance(found, float) else self._act(found)

    def _read(self, key: Key, opened: Opened[AdvancedStatefulSet]) -> Snapshot | float:
        """Take the snapshot of a pass, or give the seconds to wait for caches to catch up."""
        view = opened.view
        listed = self._tools.revisions.listed(view.raw, self._caches.revisions_of(view.uid, view.namespace))
        revisions = self._adopter.adopt_revisions(view, listed)
        pods = self._adopter.claim_pods(view, opened.selector, self._caches.pods_of(view.uid, view.namespace))
        choice = self._tools.revisions.settle(view.raw, revisions)
        if (left := self._tools.behind([choice.update, *pods])) is not None:
            return left
        current = choose_current(view.raw, revisions, choice.update)
        now = self._clock.time()
        slots = assign_slots(view, pods, current=current, update=choice.update, now=now)
        if (left := self._claims.behind(view, [member.ordinal for member in slots.claimed])) is not None:
            return left
        situation = Situation(
            view=view,
            slots=slots,
            current=current,
            update=choice.update,
            revisions=revisions,
            claims=self._claims.lookup(view),
            now=now,
        )
        return Snapshot(key, opened.live, situation, choice.collisions)

    def _act(self, snapshot: Snapshot) -> float | None:
        """Carry the plan out, write the status whatever came of it, let old revisions go, then raise what failed."""
        failure: KruiseError | None = None
        situation = snapshot.situation
        if self._tools.predownloader is not None:
            self._tools.predownloader.prepare(rollout_of(snapshot.view), situation.current, situation.update)
        try:
            for phase in plan_pass(situation):
                self._actor.carry_out(snapshot, phase)
        except KruiseError as error:
            failure = error
        self._reporter.report(snapshot, situation.claims)
        trimmed = self._tools.revisions.trim(
            situation.revisions,
            [member.pod for member in situation.slots.claimed],
            current=situation.current,
            update=situation.update,
            limit=snapshot.view.history,
        )
        if failure is not None:
            raise failure
        waits = [*snapshot.waits, *([] if trimmed else [TIDY_SECONDS])]
        return min((wait for wait in waits if wait > 0), default=None)

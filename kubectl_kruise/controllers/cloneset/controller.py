"""One pass over a CloneSet: read, claim, settle revisions, scale or update, report (cloneset.md §8)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.cloneset.claims import ClaimKeeper
from kubectl_kruise.controllers.cloneset.permission import BudgetDesk
from kubectl_kruise.controllers.cloneset.reporting import Reporter
from kubectl_kruise.controllers.cloneset.scaling import Scaler
from kubectl_kruise.controllers.cloneset.snapshot import Snapshot
from kubectl_kruise.controllers.cloneset.tuning import Tuning
from kubectl_kruise.controllers.cloneset.updating import Updater
from kubectl_kruise.controllers.cloneset.watching.caches import Caches
from kubectl_kruise.controllers.cloneset.watching.triggers import Triggers
from kubectl_kruise.controllers.equipment import REST, TIDY_SECONDS, Equipment
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.opening import Opened
from kubectl_kruise.controllers.queue import Key, Queue
from kubectl_kruise.controllers.watching.pulljobs import PullJobs
from kubectl_kruise.controllers.writing.inplace import InPlaceWriter, Later
from kubectl_kruise.controllers.writing.pod_writes import PodWriter
from kubectl_kruise.controllers.writing.resizing import Resizer
from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.cloneset.ownership import claim_pods
from kubectl_kruise.engine.cloneset.predownload import rollout_of
from kubectl_kruise.engine.cloneset.status import FAILED_SCALE, FAILED_UPDATE
from kubectl_kruise.engine.cloneset.view import CloneSet, read_cloneset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.engine.revisions.choice import choose_current
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting

COMPONENT: Final = "cloneset-controller"

Failures = list[tuple[str, KruiseError]]


class CloneSetController:
    """Creates, scales and updates the pods of CloneSets, in place where the strategy asks for it."""

    name = "cloneset"
    workers: int
    informers: Sequence[Informer]

    def __init__(
        self,
        cluster: Cluster,
        clock: Clock,
        caches: Caches,
        *,
        gates: Gates,
        tuning: Tuning,
        pull_jobs: PullJobs | None,
        draw: Callable[[], str],
        parallel: int,
    ) -> None:
        self.queue = Queue(clock, rest=REST)
        self.informers = (*caches, *([] if pull_jobs is None else [pull_jobs.informer]))
        self.workers = tuning.workers
        self._clock, self._caches = clock, caches
        tools = self._tools = Equipment(
            cluster,
            clock,
            CLONESET,
            COMPONENT,
            pods=caches.pods,
            claims=caches.claims,
            pull_jobs=pull_jobs,
            expectation_seconds=tuning.expectation_seconds,
            gives_up=gates.give_up_expectations,
        )
        self._writer = PodWriter(cluster, tools.versions)
        self._claims = ClaimKeeper(cluster, tools.population)
        self._scaler = Scaler(
            cluster, self._writer, tools.population, tools.recorder, draw=draw, parallel=parallel
        )
        resizer = Resizer(cluster, self._writer)
        self._updater = Updater(
            self._writer,
            InPlaceWriter(self._writer, resizer, caches.pods, vertical_scaling=gates.vertical_scaling),
            tools.recorder,
            desk=BudgetDesk(cluster, clock) if gates.budgets_hold_updates else None,
            parallel=parallel,
        )
        self._reporter = Reporter(cluster, tools.written)
        self._opening = tools.opening(
            partial(read_cloneset, gates=gates, exclude_preparing_delete=tuning.exclude_preparing_delete),
            partial(default_cloneset, gates=gates),
            [self._updater],
        )
        Triggers(self.queue, caches, tools.expectations, tools.versions, gates)

    def reconcile(self, key: Key) -> float | None:
        opened = self._opening.open(key, self._caches.clonesets.get(key))
        if opened is None:
            return None
        if (wait := self._tools.wait(key)) is not None:
            return wait
        found = self._read(key, opened)
        return found if isinstance(found, float) else self._act(found)

    def _read(self, key: Key, opened: Opened[CloneSet]) -> Snapshot | float:
        """Take the snapshot of a pass, or give the seconds to wait for caches to catch up."""
        view = opened.view
        listed = self._caches.pods_of(view.uid)
        running = [pod for pod in listed if active(pod)]
        inactive = [pod for pod in listed if not active(pod)]
        claims: Sequence[Raw] = [claim for claim in self._caches.claims_of(view.uid) if not deleting(claim)]
        claims = self._claims.clean(
            view,
            claims,
            active=running,
            inactive=inactive,
            warn=lambda reason, text: self._tools.recorder.warning(CLONESET, view.raw, reason, text),
        )
        claimed = claim_pods(view, opened.selector, running)
        for pod in claimed.released:
            self._writer.replace(pod)
        pods = [*claimed.kept, *(self._writer.replace(pod) for pod in claimed.adopted)]
        revisions = self._tools.revisions.listed(
            view.raw, self._caches.revisions_of(view.uid, view.namespace)
        )
        choice = self._tools.revisions.settle(view.raw, revisions)
        if (left := self._tools.behind([choice.update, *pods])) is not None:
            return left
        return Snapshot(
            key=key,
            live=opened.live,
            view=view,
            pods=pods,
            inactive=inactive,
            claims=claims,
            revisions=revisions,
            current=choose_current(view.raw, revisions, choice.update),
            update=choice.update,
            collisions=choice.collisions,
            now=self._clock.time(),
        )

    def _act(self, snapshot: Snapshot) -> float | None:
        """Scale or update, write the status whatever came of it, then raise what failed."""
        failures: Failures = []
        waits: list[float] = []
        if self._tools.predownloader is not None:
            self._tools.predownloader.prepare(rollout_of(snapshot.view), snapshot.current, snapshot.update)
        if not snapshot.view.deleting:
            self._sync(snapshot, failures, waits.append)
        waits += self._reporter.report(snapshot, failures)
        trimmed = self._tools.revisions.trim(
            snapshot.revisions,
            snapshot.pods,
            current=snapshot.current,
            update=snapshot.update,
            limit=snapshot.view.history,
        )
        waits += [] if trimmed else [TIDY_SECONDS]
        if failures:
            raise failures[0][1]
        return min((wait for wait in waits if wait > 0), default=None)

    def _sync(self, snapshot: Snapshot, failures: Failures, later: Later) -> None:
        scaled = self._scaler.scale(snapshot)
        if scaled.failure is not None:
            failures.append((FAILED_SCALE, scaled.failure))
        if scaled.modified:
            return
        try:
            self._updater.update(snapshot, later)
        except KruiseError as error:
            failures.append((FAILED_UPDATE, error))

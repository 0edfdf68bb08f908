"""The controller of native StatefulSets: pods with names that stay, one by one or all at once (§21.3)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import controlled_or_free
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.revisions.choice import choose_current
from kubectl_kruise.engine.revisions.content import recorded_template
from kubectl_kruise.engine.statefulset.ordinals import split_name
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.facts.kinds import NATIVE_STATEFULSET, POD
from kubectl_kruise.objects.raw import Raw, deleting, labels_of, name_of, namespace_of, owner_of, uid_of
from kubectl_kruise.sandbox.simulation.caches import BY_OWNER, Caches
from kubectl_kruise.sandbox.simulation.ownership import Claims, namespace_ends
from kubectl_kruise.sandbox.simulation.statefulset.claims import SetClaims
from kubectl_kruise.sandbox.simulation.statefulset.course import Course
from kubectl_kruise.sandbox.simulation.statefulset.decisions import Target, arrange
from kubectl_kruise.sandbox.simulation.statefulset.revisions import Revisions
from kubectl_kruise.sandbox.simulation.statefulset.status import count, differs, next_available, set_status
from kubectl_kruise.sandbox.simulation.statefulset.view import NativeSet
from kubectl_kruise.sandbox.simulation.statefulset.writer import SetWriter
from kubectl_kruise.sandbox.simulation.statefulset.written import Written

CATCH_UP_SECONDS: Final = 0.05
LARGE: Final = 50
BATCH_SECONDS: Final = 0.02


class StatefulSets:
    """Keyed by StatefulSet."""

    name = "statefulset-controller"
    workers = 2

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._clock = cluster, clock
        self._sets, self._pods = caches.statefulsets, caches.pods
        self._claims, self._history = caches.claims, caches.revisions
        self._recorder = Recorder(cluster, clock, self.name)
        self._ownership = Claims(cluster, NATIVE_STATEFULSET, POD)
        self._revisions = Revisions(cluster)
        self._written = Written()
        self._soon: set[Key] = set()
        self.queue = Queue(clock)
        self.informers = (self._sets, self._pods, self._claims, self._history)
        self._sets.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        self._soon.discard(key)
        raw = self._sets.get(key)
        if raw is None:
            self._written.forget(key)
            return None
        if not self._written.seen(key):
            return CATCH_UP_SECONDS
        view = NativeSet(raw)
        revisions = self._revisions.adopt(
            view, controlled_or_free(self._history, BY_OWNER, view.uid, view.namespace)
        )
        pods = self._ownership.claim(
            raw,
            controlled_or_free(self._pods, BY_OWNER, view.uid, view.namespace),
            member=lambda pod: split_name(name_of(pod)).parent == view.name,
        )
        return self._sync(view, revisions, pods)

    def _sync(self, view: NativeSet, revisions: Sequence[Raw], pods: Sequence[Raw]) -> float | None:
        choice = self._revisions.settle(view, revisions)
        current, update = _target(choose_current(view.raw, revisions, choice.update)), _target(choice.update)
        now = self._clock.time()
        members = arrange(view, pods, current, update, now)
        counted, replaced, failure = pods if view.deleting else members.all, 0, None
        if not view.deleting:
            try:
                replaced = Course(view, members, self._writer(view), now).run(update.name)
            except KruiseError as error:
                failure = error
        counts = count(view, counted, current.name, update.name, now)
        counts["currentReplicas"] -= replaced
        self._write_status(view, set_status(view, counts, current.name, update.name, choice.collisions))
        self._revisions.trim(view, revisions, pods, {current.name, update.name})
        if failure is not None and not namespace_ends(failure):
            raise failure
        return next_available(view, pods, now)

    def _writer(self, view: NativeSet) -> SetWriter:
        claims = SetClaims(self._cluster, self._claims, self._recorder, self._written, view)
        return SetWriter(self._cluster, self._pods, claims, self._recorder, self._written, view)

    def _write_status(self, view: NativeSet, status: Raw) -> None:
        if differs(view, status):
            path = NATIVE_STATEFULSET.path(view.namespace, view.name, subresource="status")
            answer = self._cluster.replace(path, view.raw | {"status": status})
            self._written.note(key_of(view.raw), self._sets, answer)

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        pod = new or old or {}
        owners = [owner_of(each) for each in (old, new) if each is not None]
        for reference in owners:
            if reference is not None and reference.get("kind") == NATIVE_STATEFULSET.kind:
                self._add_soon(Key(namespace_of(pod), reference["name"]), str(reference.get("uid")))
        if new is not None and owner_of(new) is None and not deleting(new):
            for known in self._sets.all(namespace_of(new)):
                if NativeSet(known).selector.matches(labels_of(new)):
                    self._add_soon(key_of(known), uid_of(known))

    def _add_soon(self, key: Key, uid: str) -> None:
        """Ask for a look; the changes of the many pods of a large set are folded into one, for each look counts all."""
        known = self._sets.get(key)
        if known is None or uid_of(known) != uid:
            return
        if NativeSet(known).replicas < LARGE:
            self.queue.add(key)
        elif key not in self._soon:
            self._soon.add(key)
            self.queue.add_after(key, BATCH_SECONDS)


def _target(revision: Raw) -> Target:
    return Target(name_of(revision), recorded_template(revision.get("data") or {}))

"""The ReplicaSet controller: as many pods of one template as asked for (DR6)."""

from collections import Counter
from collections.abc import Sequence

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import controlled_or_free
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import POD, REPLICASET
from kubectl_kruise.objects.pod import active, node_of
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, namespace_of, owner_of, uid_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.simulation.caches import BY_OWNER, Caches
from kubectl_kruise.sandbox.simulation.ownership import Claims, namespace_ends, owner_reference
from kubectl_kruise.sandbox.simulation.replicaset.expectations import Expectations
from kubectl_kruise.sandbox.simulation.replicaset.order import deletion_order
from kubectl_kruise.sandbox.simulation.replicaset.status import next_available, replicaset_status

BURST = 500
LARGE = 50
BATCH_SECONDS = 0.02


class ReplicaSets:
    """Keyed by ReplicaSet."""

    name = "replicaset-controller"
    workers = 2

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._clock = cluster, clock
        self._sets, self._pods = caches.replicasets, caches.pods
        self._recorder = Recorder(cluster, clock, self.name)
        self._claims = Claims(cluster, REPLICASET, POD)
        self._expectations = Expectations(clock)
        self._soon: set[Key] = set()
        self.queue = Queue(clock)
        self.informers = (self._sets, self._pods)
        self._sets.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        self._soon.discard(key)
        replicaset = self._sets.get(key)
        if replicaset is None:
            self._expectations.forget(key)
            return None
        settled = self._expectations.met(key)
        candidates = controlled_or_free(self._pods, BY_OWNER, uid_of(replicaset), key.namespace)
        pods = self._claims.claim(replicaset, candidates)
        failure = None
        if settled and not deleting(replicaset):
            failure = self._scale(key, replicaset, [pod for pod in pods if active(pod)])
        now = self._clock.time()
        self._write_status(key, replicaset, replicaset_status(replicaset, pods, _condition(failure), now))
        if failure is not None:
            raise failure[1]
        return next_available(replicaset, pods, now)

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        before, after = owner_of(old) if old is not None else None, owner_of(new) if new is not None else None
        pod = new or old or {}
        for reference in (before, after):
            if reference is not None and reference.get("kind") == REPLICASET.kind:
                key = Key(namespace_of(pod), reference["name"])
                if reference is after and old is None:
                    self._expectations.created(key)
                if new is None or deleting(new):
                    self._expectations.deleted(key, uid_of(pod))
                self._add_soon(key)
        if new is not None and after is None and not deleting(new):
            for replicaset in self._sets.all(namespace_of(new)):
                if selector_of(dig(replicaset, ("spec", "selector"))).matches(labels_of(new)):
                    self._add_soon(key_of(replicaset))

    def _add_soon(self, key: Key) -> None:
        """Ask for a look; the changes of the many pods of a large set are folded into one, for each look counts all."""
        replicaset = self._sets.get(key)
        if replicaset is None or dig(replicaset, ("spec", "replicas"), 0) < LARGE:
            self.queue.add(key)
        elif key not in self._soon:
            self._soon.add(key)
            self.queue.add_after(key, BATCH_SECONDS)

    def _scale(self, key: Key, replicaset: Raw, living: Sequence[Raw]) -> tuple[str, KruiseError] | None:
        """Create or delete the difference; give the reason and the failure of what could not be done."""
        missing = dig(replicaset, ("spec", "replicas"), 1) - len(living)
        try:
            if missing > 0:
                self._create(key, replicaset, min(missing, BURST))
            elif missing < 0:
                self._delete(key, replicaset, living, min(-missing, BURST))
        except KruiseError as error:
            return ("FailedCreate" if missing > 0 else "FailedDelete", error)
        return None

    def _create(self, key: Key, replicaset: Raw, count: int) -> None:
        """Create pods one after the other; the first failure ends the attempt, so that a full quota is not hammered."""
        body = new_pod(replicaset)
        self._expectations.expect_creations(key, count)
        for made in range(count):
            try:
                pod = self._cluster.create(POD.path(key.namespace), body)
            except KruiseError as error:
                self._expectations.created(key, count - made)
                if namespace_ends(error):
                    return
                self._recorder.warning(
                    REPLICASET, replicaset, "FailedCreate", f"Error creating: {error.cause or error.message}"
                )
                raise
            self._recorder.normal(REPLICASET, replicaset, "SuccessfulCreate", f"Created pod: {name_of(pod)}")

    def _delete(self, key: Key, replicaset: Raw, living: Sequence[Raw], count: int) -> None:
        doomed = deletion_order(living, self._crowd(replicaset), self._clock.time())[:count]
        self._expectations.expect_deletions(key, [uid_of(pod) for pod in doomed])
        for index, pod in enumerate(doomed):
            path, options = POD.path(key.namespace, name_of(pod)), {"preconditions": {"uid": uid_of(pod)}}
            try:
                self._cluster.delete(path, options=options)
            except NotFoundError:
                self._expectations.deleted(key, uid_of(pod))
                continue
            except KruiseError as error:
                for left in doomed[index:]:
                    self._expectations.deleted(key, uid_of(left))
                self._recorder.warning(
                    REPLICASET, replicaset, "FailedDelete", f"Error deleting: {error.cause or error.message}"
                )
                raise
            self._recorder.normal(REPLICASET, replicaset, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")

    def _crowd(self, replicaset: Raw) -> Counter[str]:
        """Count by node the living pods of all ReplicaSets of the same owner."""
        owner = owner_of(replicaset)
        sets = self._sets.indexed(BY_OWNER, owner["uid"]) if owner is not None else [replicaset]
        pods = (pod for each in sets for pod in self._pods.indexed(BY_OWNER, uid_of(each)))
        return Counter(node_of(pod) for pod in pods if active(pod))

    def _write_status(self, key: Key, replicaset: Raw, status: Raw) -> None:
        if replicaset.get("status") != status:
            path = REPLICASET.path(key.namespace, key.name, subresource="status")
            self._cluster.replace(path, replicaset | {"status": status})


def new_pod(replicaset: Raw) -> Raw:
    """Give a pod of the ReplicaSet's template."""
    template = replicaset["spec"]["template"]
    given = template.get("metadata") or {}
    metadata = {part: given[part] for part in ("labels", "annotations", "finalizers") if given.get(part)}
    metadata |= {
        "generateName": f"{name_of(replicaset)}-",
        "namespace": namespace_of(replicaset),
        "ownerReferences": [owner_reference(REPLICASET, replicaset)],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def _condition(failure: tuple[str, KruiseError] | None) -> tuple[str, str] | None:
    return None if failure is None else (failure[0], failure[1].cause or failure[1].message)

"""Keeps PodUnavailableBudgets: marks their pods and counts them (small-kinds.md §2.2)."""

from collections.abc import Iterable, Sequence
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster, Patch, PatchType
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.informer import Informer
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.engine.budget import pod_available, recount, related_budget, total_replicas
from kubectl_kruise.errors import NotFoundError
from kubectl_kruise.facts.kinds import CLONESET, POD, POD_UNAVAILABLE_BUDGET, REPLICASET
from kubectl_kruise.facts.names import RELATED_BUDGET
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, namespace_of, owner_of, uid_of
from kubectl_kruise.objects.selector import selector_of

ENDING_SECONDS: Final = 5.0
"""How long after a pod has begun to end its budget is counted anew."""


class Budgets:
    """Wakes on budgets, on their pods as they come and change their availability, and on CloneSets that are scaled.

    A pod that goes is counted out some seconds after its end has begun (P-1).
    """

    name = "podunavailablebudget"
    workers = 3
    informers: Sequence[Informer]

    def __init__(
        self, cluster: Cluster, clock: Clock, *, namespace: str, pods: Informer, clonesets: Informer
    ) -> None:
        self.queue = Queue(clock)
        self._cluster, self._clock = cluster, clock
        self._budgets = Informer(cluster, POD_UNAVAILABLE_BUDGET.path(namespace))
        self._pods = pods
        self.informers = (self._budgets, pods, clonesets)
        self._recorder = Recorder(cluster, clock, "pub-controller")
        self._budgets.on_change(lambda old, new: self.queue.add(key_of(new or old or {})))
        pods.on_change(self._pod_changed)
        clonesets.on_change(self._workload_changed)

    def reconcile(self, key: Key) -> float | None:
        budget = self._budgets.get(key)
        if budget is None or deleting(budget):
            return None
        owners = _Owners(self._cluster, key.namespace)
        pods = [pod for pod in self._pods.all(key.namespace) if active(pod) and owners.covers(budget, pod)]
        if not pods:
            self._recorder.normal(POD_UNAVAILABLE_BUDGET, budget, "NoPods", "No matching pods found")
        for pod in pods:
            if not related_budget(pod):
                self._mark(pod, key.name)
        total = total_replicas(budget, owners.replicas(budget, pods))
        ending = {
            name_of(pod)
            for pod in self._pods.all(key.namespace)
            if deleting(pod) and related_budget(pod) == key.name
        }
        counted = recount(budget, pods, total, self._clock.time(), ending=ending)
        for name in counted.expired:
            text = f"Pod was expected by PUB {key.namespace}/{key.name} to be deleted but it wasn't"
            self._recorder.warning(POD, next(p for p in pods if name_of(p) == name), "NotDeleted", text)
        if counted.status != budget.get("status"):
            path = POD_UNAVAILABLE_BUDGET.path(*key, subresource="status")
            self._cluster.replace(path, {**budget, "status": counted.status})
        return counted.wait

    def _mark(self, pod: Raw, budget: str) -> None:
        patch = Patch(PatchType.STRATEGIC, {"metadata": {"annotations": {RELATED_BUDGET: budget}}})
        self._cluster.patch(POD.path(namespace_of(pod), name_of(pod)), patch)

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        pod = new or old or {}
        name = related_budget(pod)
        if not name:
            return
        if new is None:
            return
        key = Key(namespace_of(new), name)
        if deleting(new):
            if old is None or not deleting(old):
                self.queue.add_after(key, ENDING_SECONDS)
        elif pod_available(new) != (old is not None and pod_available(old)):
            self.queue.add(key)

    def _workload_changed(self, old: Raw | None, new: Raw | None) -> None:
        workload = new or old or {}
        if old is not None and new is not None and _replicas(old) == _replicas(new):
            return
        for budget in self._budgets.all(namespace_of(workload)):
            if _targets(budget, CLONESET.group, CLONESET.kind, name_of(workload)):
                self.queue.add(key_of(budget))
                return


class _Owners:
    """The workloads that pods belong to, each asked for once in a pass."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._known: dict[tuple[str, str, str], Raw | None] = {}

    def covers(self, budget: Raw, pod: Raw) -> bool:
        """Say whether a pod belongs to a budget: by its labels, or as the target's own, for Deployments once removed."""
        target = dig(budget, ("spec", "targetRef"))
        if target is None:
            return selector_of(dig(budget, ("spec", "selector"), {})).matches(labels_of(pod))
        return any(
            _targets(budget, _group(owner), str(owner.get("kind")), str(owner.get("name")))
            for owner in self._chain(pod)
        )

    def replicas(self, budget: Raw, pods: Iterable[Raw]) -> Iterable[int]:
        """Give the replicas of the target, or of each workload of the pods."""
        target = dig(budget, ("spec", "targetRef"))
        if target is not None:
            found = [self._fetch(target)]
        else:
            tops = {uid_of(top): top for pod in pods if (top := self._top(pod)) is not None}
            found = list(tops.values())
        return [_replicas(workload) for workload in found if workload is not None]

    def _top(self, pod: Raw) -> Raw | None:
        chain = list(self._chain(pod))
        return self._fetch(chain[-1]) if chain else None

    def _chain(self, pod: Raw) -> Iterable[Raw]:
        """Give the pod's controller and, where it is a ReplicaSet, the controller of that."""
        owner = owner_of(pod)
        if owner is None:
            return
        yield owner
        above = owner_of(self._fetch(owner) or {}) if owner.get("kind") == REPLICASET.kind else None
        if above is not None:
            yield above

    def _fetch(self, reference: Raw) -> Raw | None:
        api_version, kind, name = (str(reference.get(key)) for key in ("apiVersion", "kind", "name"))
        known = (api_version, kind, name)
        if known not in self._known:
            found = kind_of(api_version, kind)
            try:
                path = found.kind.path(self._namespace, name, version=found.version) if found else ""
                self._known[known] = self._cluster.get(path) if path else None
            except NotFoundError:
                self._known[known] = None
        return self._known[known]


def _targets(budget: Raw, group: str, kind: str, name: str) -> bool:
    target = dig(budget, ("spec", "targetRef")) or {}
    return (_group(target), target.get("kind"), target.get("name")) == (group, kind, name)


def _group(reference: Raw) -> str:
    return str(reference.get("apiVersion") or "").rpartition("/")[0]


def _replicas(workload: Raw) -> int:
    return int(dig(workload, ("spec", "replicas"), 0) or 0)

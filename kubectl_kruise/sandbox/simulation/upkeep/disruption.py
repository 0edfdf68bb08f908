"""Keeps the status of PodDisruptionBudgets: how many pods there are, have to be, and may go (migration.md §2.3 K8)."""

import contextlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.controllers.queue import Key, Queue, key_of
from kubectl_kruise.errors import ConflictError, KruiseError, NotFoundError
from kubectl_kruise.facts.kinds import DEPLOYMENT, PDB, REPLICASET
from kubectl_kruise.objects.condition import with_condition
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.pod import active, finished, ready
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of, namespace_of, owner_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.simulation.caches import Caches

BELIEVED_SECONDS: Final = 120.0
"""How long an eviction that was let through counts while its pod is still there."""


class _Need(NamedTuple):
    expected: int
    desired: int


class Disruptions:
    """Keyed by budget."""

    name = "disruption"
    workers = 1

    def __init__(self, cluster: Cluster, clock: Clock, caches: Caches) -> None:
        self._cluster, self._clock = cluster, clock
        self._budgets, self._pods = caches.budgets, caches.pods
        self._recorder = Recorder(cluster, clock, "controllermanager")
        self.queue = Queue(clock)
        self.informers = (self._budgets, self._pods)
        self._budgets.on_change(lambda _, new: self.queue.add(key_of(new)) if new is not None else None)
        self._pods.on_change(self._pod_changed)

    def reconcile(self, key: Key) -> float | None:
        budget = self._budgets.get(key)
        if budget is None or deleting(budget):
            return None
        pods = [pod for pod in self._pods.all(key.namespace) if not finished(pod) and _covers(budget, pod)]
        try:
            need = self._need(budget, pods)
        except KruiseError as error:
            self._recorder.warning(PDB, budget, "CalculateExpectedPodCountFailed", error.message)
            self._write(budget, {**(budget.get("status") or {}), "disruptionsAllowed": 0})
            return None
        disrupted, wait = self._disrupted(budget, pods)
        healthy = sum(ready(pod) and active(pod) and name_of(pod) not in disrupted for pod in pods)
        allowed = max(0, healthy - need.desired) if need.expected > 0 else 0
        counts = {
            "currentHealthy": healthy,
            "desiredHealthy": need.desired,
            "expectedPods": need.expected,
            "disruptionsAllowed": allowed,
            "observedGeneration": budget["metadata"]["generation"],
        }
        self._write(budget, {**counts, **({"disruptedPods": disrupted} if disrupted else {})})
        return wait

    def _need(self, budget: Raw, pods: list[Raw]) -> _Need:
        """Count what there should be. Shares are of what the pods' controllers want; pods of nobody do not count."""
        spec = budget["spec"]
        if (most := spec.get("maxUnavailable")) is not None:
            expected = self._wanted(budget, pods)
            return _Need(expected, max(0, expected - number.strict(most, expected)))
        least = spec.get("minAvailable", 1)
        if isinstance(least, int):
            return _Need(len(pods), least)
        expected = self._wanted(budget, pods)
        return _Need(expected, number.strict(least, expected))

    def _wanted(self, budget: Raw, pods: Iterable[Raw]) -> int:
        """Sum up the replicas of all controllers of these pods."""
        wanted: dict[str, int] = {}
        unmanaged = []
        for pod in pods:
            owner = owner_of(pod)
            if owner is None:
                unmanaged.append(name_of(pod))
            elif owner["uid"] not in wanted:
                wanted |= self._scale(namespace_of(pod), owner)
        if unmanaged:
            text = f"Pods selected by this PodDisruptionBudget (selector: {selector_of(budget['spec']['selector'])}) were found to be unmanaged."
            self._recorder.warning(PDB, budget, "UnmanagedPods", text)
        return sum(wanted.values())

    def _scale(self, namespace: str, owner: Raw) -> dict[str, int]:
        """Give what a controller wants; for a ReplicaSet it is its Deployment that does."""
        found = kind_of(owner["apiVersion"], owner["kind"])
        if found is None:
            raise KruiseError(f"nothing is known of {owner['kind']} {owner['name']}")
        with contextlib.suppress(NotFoundError):
            if found.kind is not REPLICASET:
                path = found.kind.path(namespace, owner["name"], version=found.version, subresource="scale")
                return {owner["uid"]: int(dig(self._cluster.get(path), ("spec", "replicas"), 0))}
            replicaset = self._cluster.get(REPLICASET.path(namespace, owner["name"]))
            if above := owner_of(replicaset):
                replicaset = self._cluster.get(DEPLOYMENT.path(namespace, above["name"]))
            return {owner["uid"]: int(dig(replicaset, ("spec", "replicas"), 1))}
        return {}

    def _disrupted(self, budget: Raw, pods: Iterable[Raw]) -> tuple[dict[str, str], float | None]:
        """Give the evictions that are still believed in, and the seconds until the first is not."""
        noted = dig(budget, ("status", "disruptedPods"), {})
        present = {name_of(pod) for pod in pods if not deleting(pod)}
        left = {
            name: (parse_rfc3339(since) or 0.0) + BELIEVED_SECONDS - self._clock.time()
            for name, since in noted.items()
            if name in present
        }
        believed = {name: noted[name] for name, seconds in left.items() if seconds > 0}
        return believed, min((left[name] for name in believed), default=None)

    def _write(self, budget: Raw, status: Raw) -> None:
        may_go = bool(status.get("disruptionsAllowed"))
        condition = {
            "type": "DisruptionAllowed",
            "status": "True" if may_go else "False",
            "reason": "SufficientPods" if may_go else "InsufficientPods",
            "message": "",
            "observedGeneration": budget["metadata"]["generation"],
        }
        before = dig(budget, ("status", "conditions"), [])
        now = rfc3339(self._clock.time())
        status = {**status, "conditions": with_condition(before, condition, now)}
        if status != budget.get("status"):
            path = PDB.path(namespace_of(budget), name_of(budget), subresource="status")
            with contextlib.suppress(NotFoundError, ConflictError):
                self._cluster.replace(path, {**budget, "status": status})

    def _pod_changed(self, old: Raw | None, new: Raw | None) -> None:
        """Look again at the budgets of a pod, those it has left too."""
        for pod in (each for each in (old, new) if each is not None):
            for budget in self._budgets.all(namespace_of(pod)):
                if _covers(budget, pod):
                    self.queue.add(key_of(budget))


def _covers(budget: Raw, pod: Raw) -> bool:
    wanted = dig(budget, ("spec", "selector"))
    return wanted is not None and selector_of(wanted).matches(labels_of(pod))

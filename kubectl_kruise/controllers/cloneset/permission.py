"""Asks a pod's PodUnavailableBudget before the pod is updated (cloneset.md §14.5); gate PodUnavailableBudgetUpdateGate."""

from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.engine.budget import Operation, ask, related_budget
from kubectl_kruise.errors import ConflictError, NotFoundError
from kubectl_kruise.facts.kinds import POD_UNAVAILABLE_BUDGET
from kubectl_kruise.objects.raw import Raw, namespace_of

ATTEMPTS: Final = 5
ASK_AGAIN_SECONDS: Final = 1.0
"""When a refused update is tried again."""


class BudgetDesk:
    """Takes permissions from budgets: each is written down there before it counts."""

    def __init__(self, cluster: Cluster, clock: Clock) -> None:
        self._cluster, self._clock = cluster, clock

    def permits(self, pod: Raw) -> bool:
        """Say whether the pod may be updated now; raises the KruiseError of a budget that cannot be read or written."""
        name = related_budget(pod)
        if not name:
            return True
        path = POD_UNAVAILABLE_BUDGET.path(namespace_of(pod), name)
        for _ in range(ATTEMPTS - 1):
            try:
                return self._ask(path, pod)
            except ConflictError:
                continue
        return self._ask(path, pod)

    def _ask(self, path: str, pod: Raw) -> bool:
        try:
            budget = self._cluster.get(path)
        except NotFoundError:
            return True
        answer = ask(budget, pod, Operation.UPDATE, self._clock.time())
        if answer.status is not None:
            self._cluster.replace(f"{path}/status", {**budget, "status": answer.status})
        return not answer.refusal

"""What Kruise's pod webhooks do for PodUnavailableBudgets at the API server (small-kinds.md §2.3)."""

from http import HTTPStatus
from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.engine.budget import REFUSAL, Operation, ask, counts_as_update, related_budget
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import POD, POD_UNAVAILABLE_BUDGET, REPLICASET
from kubectl_kruise.facts.names import RELATED_BUDGET
from kubectl_kruise.objects.raw import Raw, annotations_of, dig, labels_of, name_of, owner_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store

BUDGETS: Final = POD_UNAVAILABLE_BUDGET.resource


class BudgetWebhook:
    """Marks new pods with their budget, and asks it before pods are deleted, evicted or, under the gate, updated."""

    def __init__(self, store: Store, clock: Clock, gates: Gates, recorder: Recorder) -> None:
        self._store, self._clock, self._gates, self._recorder = store, clock, gates, recorder

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != "pods" or call.subresource or old is not None:
            return False
        budget = next(
            (
                stored.object
                for stored in self._store.items(BUDGETS, call.namespace)
                if self._covers(stored.object, new)
            ),
            None,
        )
        if budget is None:
            return False
        marked = {**annotations_of(new), RELATED_BUDGET: name_of(budget)}
        new["metadata"] = {**new["metadata"], "annotations": marked}
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        if call.resource.key != "pods" or old is None or not self._gates.budgets_hold_updates:
            return
        if counts_as_update(new, old):
            self._ask(call, old, Operation.UPDATE)

    def refuse(self, call: Call, raw: Raw) -> None:
        """Raise Refused where the pod's budget does not let it be deleted."""
        if call.resource.key != "pods" or not self._gates.budgets_hold_deletions:
            return
        self._ask(call, raw, Operation.EVICT if call.subresource == "eviction" else Operation.DELETE)

    def _ask(self, call: Call, pod: Raw, operation: Operation) -> None:
        name = related_budget(pod)
        stored = self._store.get(BUDGETS, call.namespace, name) if name else None
        budget = stored.object if stored else None
        answer = ask(budget, pod, operation, self._clock.time())
        if answer.refusal:
            text = "openkruise pub prevents pod deletion"
            self._recorder.warning(POD, pod, "PubPreventPodDeletion", text)
            webhook = "vpodeviction" if operation is Operation.EVICT else "vpod"
            why = f'{POD_UNAVAILABLE_BUDGET.display} "{name}" is forbidden: {REFUSAL}'
            message = f'admission webhook "{webhook}.kb.io" denied the request: {why}'
            raise status.failure(HTTPStatus.FORBIDDEN, "Forbidden", message)
        # A dry run of an eviction is written down, too: so does the real webhook (P-10).
        if (
            budget is not None
            and answer.status is not None
            and not (call.dry_run and operation is Operation.DELETE)
        ):
            self._store.put(
                BUDGETS, {**budget, "metadata": dict(budget["metadata"]), "status": answer.status}
            )

    def _covers(self, budget: Raw, pod: Raw) -> bool:
        target = dig(budget, ("spec", "targetRef"))
        if target is None:
            return selector_of(dig(budget, ("spec", "selector"), {})).matches(labels_of(pod))
        owner = owner_of(pod)
        while owner is not None:
            if all(_same(owner, target, key) for key in ("kind", "name")) and _group(owner) == _group(target):
                return True
            above = None
            if owner.get("kind") == REPLICASET.kind:
                above = self._store.get(
                    REPLICASET.resource, str(dig(pod, ("metadata", "namespace"), "")), str(owner.get("name"))
                )
            owner = owner_of(above.object) if above else None
        return False


def _same(one: Raw, other: Raw, key: str) -> bool:
    return one.get(key) == other.get(key)


def _group(reference: Raw) -> str:
    return str(reference.get("apiVersion") or "").rpartition("/")[0]

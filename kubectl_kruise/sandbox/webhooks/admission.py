"""What Kruise's webhooks do at the API server: CloneSets completed and judged, gates for pods (cloneset.md §4, §5, §21.2)."""

from typing import Final

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.admission.cloneset_validation import validate_cloneset
from kubectl_kruise.engine.admission.complaint import Refusal, refusal, undecodable
from kubectl_kruise.engine.admission.pod_injection import inject_pod
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.admission import Admission, DeletionGuard
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.budgets import BudgetWebhook
from kubectl_kruise.sandbox.webhooks.deletions import DeletionProtection
from kubectl_kruise.sandbox.webhooks.older_templates import check_older_template
from kubectl_kruise.sandbox.webhooks.pull_jobs import PullJobWebhook
from kubectl_kruise.sandbox.webhooks.recreations import RecreationWebhook

CLONESETS: Final = CLONESET.resource


class CloneSetWebhook:
    """Defaults and validation of CloneSets on create and on updates of the object itself."""

    def __init__(self, store: Store, gates: Gates) -> None:
        self._store, self._gates = store, gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != CLONESETS:
            return False
        try:
            full = default_cloneset(new, old, self._gates)
        except ValueError as error:
            raise _denied(undecodable(error)) from None
        if full is new:
            return False
        new["spec"] = full["spec"]
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        if call.resource.key != CLONESETS:
            return

        def lookup_pod(name: str) -> Raw | None:
            stored = self._store.get("pods", call.namespace, name)
            return stored.object if stored else None

        try:
            complaints = validate_cloneset(new, old, lookup_pod, check_template=check_older_template)
        except ValueError as error:
            raise _denied(undecodable(error)) from None
        if denied := refusal(complaints):
            raise _denied(denied)


class PodWebhook:
    """Gives pods of Kruise workloads their readiness gate, and containers with launch priorities their barriers."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != "pods" or old is not None:
            return False
        try:
            injected = inject_pod(new, ready_gate_for_all=self._gates.readiness_for_all_pods)
        except ValueError as error:
            raise status.failure(
                400, "", f'admission webhook "mpod.kb.io" denied the request: {error}'
            ) from None
        if injected is new:
            return False
        new["spec"] = injected["spec"]
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing of a pod is refused here."""


def kruise_webhooks(
    store: Store, clock: Clock, gates: Gates, client: Cluster
) -> tuple[list[Admission], list[DeletionGuard]]:
    """Give the webhooks that a manager with these gates would register, and those for deletions.

    Events about what they refuse are written through `client`.
    """
    webhooks: list[Admission] = [
        CloneSetWebhook(store, gates),
        RecreationWebhook(store, gates),
        PullJobWebhook(gates),
    ]
    guards: list[DeletionGuard] = [DeletionProtection(store, gates)]
    if gates.pod_webhook:
        budgets = BudgetWebhook(store, clock, gates, Recorder(client, clock, "pub-controller"))
        webhooks += [PodWebhook(gates), budgets]
        guards.append(budgets)
    return webhooks, guards


def _denied(answer: Refusal) -> status.Refused:
    return status.failure(answer.code, "", answer.message)

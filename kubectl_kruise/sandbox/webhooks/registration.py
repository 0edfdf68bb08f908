"""Which of Kruise's webhooks an API server calls, with the manager's gates."""

from kubectl_kruise.cluster.clock import Clock
from kubectl_kruise.cluster.port import Cluster
from kubectl_kruise.controllers.events import Recorder
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.sandbox.registry.admission import Admission, DeletionGuard
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.budgets import BudgetWebhook
from kubectl_kruise.sandbox.webhooks.clonesets import CloneSetWebhook
from kubectl_kruise.sandbox.webhooks.deletions import DeletionProtection
from kubectl_kruise.sandbox.webhooks.pods import PodWebhook
from kubectl_kruise.sandbox.webhooks.pull_jobs import PullJobWebhook
from kubectl_kruise.sandbox.webhooks.recreations import RecreationWebhook
from kubectl_kruise.sandbox.webhooks.statefulsets import StatefulSetWebhook


def kruise_webhooks(
    store: Store, clock: Clock, gates: Gates, client: Cluster
) -> tuple[list[Admission], list[DeletionGuard]]:
    """Give the webhooks that a manager with these gates would register, and those for deletions.

    Events about what they refuse are written through `client`.
    """
    webhooks: list[Admission] = [
        CloneSetWebhook(store, gates),
        StatefulSetWebhook(store, gates),
        RecreationWebhook(store, gates),
        PullJobWebhook(gates),
    ]
    guards: list[DeletionGuard] = [DeletionProtection(store, gates)]
    if gates.pod_webhook:
        budgets = BudgetWebhook(store, clock, gates, Recorder(client, clock, "pub-controller"))
        webhooks += [PodWebhook(gates), budgets]
        guards.append(budgets)
    return webhooks, guards

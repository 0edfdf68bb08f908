"""Kruise's webhook for ContainerRecreateRequests at the API server (small-kinds.md §3.1)."""

from typing import Final

from kubectl_kruise.engine.admission.recreation import (
    WEBHOOK,
    RecreationRefusedError,
    check_recreation_update,
    complete_recreation,
)
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CONTAINER_RECREATE_REQUEST
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.decoding import check_types

RECREATIONS: Final = CONTAINER_RECREATE_REQUEST.resource


class RecreationWebhook:
    """Fills in requests to restart containers, and keeps them as they were made; one webhook does both."""

    def __init__(self, store: Store, gates: Gates) -> None:
        self._store, self._gates = store, gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != RECREATIONS:
            return False
        check_types(new, CONTAINER_RECREATE_REQUEST, WEBHOOK)

        def lookup_pod(name: str) -> Raw | None:
            stored = self._store.get("pods", call.namespace, name)
            return stored.object if stored else None

        try:
            if old is not None:
                check_recreation_update(new, old)
                return False
            if not self._gates.node_daemon:
                raise RecreationRefusedError(403, "feature-gate KruiseDaemon is not enabled")
            full = complete_recreation(new, lookup_pod)
        except RecreationRefusedError as refused:
            raise status.failure(refused.answer.code, "", refused.answer.message) from None
        new["metadata"], new["spec"] = full["metadata"], full["spec"]
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing is left to judge: the mutating webhook has refused already."""

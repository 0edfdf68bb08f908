"""What Kruise's webhook does to new pods at the API server (cloneset.md §21.2)."""

from kubectl_kruise.engine.admission.pod_injection import inject_pod
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.webhooks.answers import decoding, take_spec


class PodWebhook:
    """Gives pods of Kruise workloads their readiness gate, and containers with launch priorities their barriers."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != "pods" or old is not None:
            return False
        with decoding("mpod.kb.io"):
            return take_spec(new, inject_pod(new, ready_gate_for_all=self._gates.readiness_for_all_pods))

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing of a pod is refused here."""

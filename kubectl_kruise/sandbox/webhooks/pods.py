"""What Kruise's webhook does to new pods at the API server (cloneset.md §21.2)."""

from kubectl_kruise.engine.admission.complaint import undecodable
from kubectl_kruise.engine.admission.pod_injection import inject_pod
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.webhooks.answers import denied


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
            raise denied(undecodable("mpod.kb.io", error)) from None
        if injected is new:
            return False
        new["spec"] = injected["spec"]
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing of a pod is refused here."""

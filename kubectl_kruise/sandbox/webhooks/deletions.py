"""Kruise's webhooks against deletions by accident, at the API server (install.md §10)."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Final

from kubectl_kruise.engine.admission.deletion_protection import CASCADING, Remains, why_protected
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.names import DELETE_PROTECTION
from kubectl_kruise.objects.pod import active
from kubectl_kruise.objects.raw import Raw, deleting, dig, labels_of, name_of
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store

WEBHOOKS: Final = {
    "clonesets.apps.kruise.io": "vcloneset.kb.io",
    "statefulsets.apps.kruise.io": "vstatefulset.kb.io",
    "uniteddeployments.apps.kruise.io": "vuniteddeployment.kb.io",
    "deployments.apps": "vbuiltindeployment.kb.io",
    "replicasets.apps": "vbuiltinreplicaset.kb.io",
    "statefulsets.apps": "vbuiltinstatefulset.kb.io",
    "namespaces": "vnamespace.kb.io",
    "customresourcedefinitions.apiextensions.k8s.io": "vcustomresourcedefinition.kb.io",
    "services": "vservice.kb.io",
    "ingresses.networking.k8s.io": "vingress.kb.io",
}
"""Which webhook looks after the deletions of a resource."""

CRD_GATE: Final = "DeletionProtectionForCRDCascadingGate"


class DeletionProtection:
    """Refuses the deletion of what carries the label of protection."""

    def __init__(self, store: Store, gates: Gates) -> None:
        self._store, self._gates = store, gates
        self._remains: dict[str, Callable[[Raw], Iterable[tuple[str, int]]]] = {
            "namespaces": self._in_namespace,
            "customresourcedefinitions.apiextensions.k8s.io": self._of_definition,
            "services": lambda _: (),
            "ingresses.networking.k8s.io": lambda _: (),
        }

    def refuse(self, call: Call, raw: Raw) -> None:
        """Raise Refused where the object may not be deleted."""
        webhook = WEBHOOKS.get(call.resource.key)
        if webhook is None or not self._gates.deletion_protection:
            return
        count = self._remains.get(call.resource.key, _replicas)
        remains: Remains = lambda: count(raw)  # noqa: E731 - counted only where the label asks for it
        if call.resource.kind == "CustomResourceDefinition" and self._beyond_gate(raw):
            why = f"feature-gate {CRD_GATE} is not enabled"
        else:
            why = why_protected(raw, remains)
        if why:
            message = f'admission webhook "{webhook}" denied the request: {why}'
            raise status.failure(HTTPStatus.FORBIDDEN, "", message)

    def _beyond_gate(self, raw: Raw) -> bool:
        asked = labels_of(raw).get(DELETE_PROTECTION) == CASCADING and not deleting(raw)
        return asked and not self._gates.crd_cascading

    def _in_namespace(self, raw: Raw) -> Iterable[tuple[str, int]]:
        pods = self._store.items("pods", name_of(raw))
        yield "active pods", sum(active(stored.object) for stored in pods)
        claims = self._store.items("persistentvolumeclaims", name_of(raw))
        bound = (claim for claim in claims if dig(claim.object, ("status", "phase")) == "Bound")
        yield "bound pvc", sum(not deleting(claim.object) for claim in bound)

    def _of_definition(self, raw: Raw) -> Iterable[tuple[str, int]]:
        found = self._store.items(name_of(raw), "")
        yield "active CR", sum(not deleting(stored.object) for stored in found)


def _replicas(raw: Raw) -> Iterable[tuple[str, int]]:
    yield "replicas", dig(raw, ("spec", "replicas"), 0)

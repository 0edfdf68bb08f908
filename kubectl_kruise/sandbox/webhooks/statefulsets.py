"""What Kruise's webhooks do for Advanced StatefulSets at the API server (advanced-statefulset.md §6, §7)."""

from collections.abc import Iterable
from typing import Final

from kubectl_kruise.engine.admission.statefulset_defaults import complete_statefulset
from kubectl_kruise.engine.admission.statefulset_validation import validate_statefulset
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import STATEFULSET
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.pod.spec import check_template_metadata
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.answers import decoding, denied, take_spec

STATEFULSETS: Final = STATEFULSET.resource
STORAGE_CLASSES: Final = "storageclasses.storage.k8s.io"
MUTATING: Final = "mstatefulset.kb.io"


class StatefulSetWebhook:
    """Defaults and validation of sets on create and on updates of the object itself, in both versions."""

    def __init__(self, store: Store, gates: Gates) -> None:
        self._store, self._gates = store, gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != STATEFULSETS:
            return False
        with decoding(MUTATING):
            return take_spec(new, complete_statefulset(new, old, self._gates))

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        if call.resource.key != STATEFULSETS:
            return
        with decoding(MUTATING):
            answer = validate_statefulset(
                new,
                old,
                gates=self._gates,
                classes=self._storage_classes,
                check_labels=check_template_metadata,
            )
        if answer:
            raise denied(answer)

    def _storage_classes(self) -> Iterable[Raw]:
        return (stored.object for stored in self._store.items(STORAGE_CLASSES, ""))

"""What Kruise's webhooks do for CloneSets at the API server: completed and judged (cloneset.md §4, §5)."""

from typing import Final

from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.admission.cloneset_validation import validate_cloneset
from kubectl_kruise.engine.admission.complaint import refusal
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store
from kubectl_kruise.sandbox.webhooks.answers import decoding, denied, take_spec
from kubectl_kruise.sandbox.webhooks.older_templates import check_older_template

CLONESETS: Final = CLONESET.resource
MUTATING: Final = "mcloneset.kb.io"
VALIDATING: Final = "vcloneset.kb.io"


class CloneSetWebhook:
    """Defaults and validation of CloneSets on create and on updates of the object itself."""

    def __init__(self, store: Store, gates: Gates) -> None:
        self._store, self._gates = store, gates

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key != CLONESETS:
            return False
        with decoding(MUTATING):
            return take_spec(new, default_cloneset(new, old, self._gates))

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        if call.resource.key != CLONESETS:
            return

        def lookup_pod(name: str) -> Raw | None:
            stored = self._store.get("pods", call.namespace, name)
            return stored.object if stored else None

        with decoding(MUTATING):
            complaints = validate_cloneset(new, old, lookup_pod, check_template=check_older_template)
        if answer := refusal(VALIDATING, complaints):
            raise denied(answer)

"""What a real server's own admission plugin does to claims: it holds them while pods use them (sandbox-apiserver.md N1).

Volumes are not held here: nobody would ever let them go.
"""

from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.call import Call

CLAIMS: Final = "persistentvolumeclaims"
PROTECTION: Final = "kubernetes.io/pvc-protection"


class ClaimProtection:
    """Gives new claims the finalizer that keeps them as long as something uses them."""

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        if call.resource.key == CLAIMS and old is None:
            meta = new["metadata"]
            if PROTECTION not in (meta.get("finalizers") or ()):
                meta["finalizers"] = [*(meta.get("finalizers") or ()), PROTECTION]
        return False

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Nothing is refused for it."""

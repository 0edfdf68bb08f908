"""What the registry asks of plugins and webhooks."""

from typing import Protocol

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.registry.call import Call


class Admission(Protocol):
    """What plugins and webhooks do: complete an object, then object to it; of its parts they see `resize` alone."""

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        """Change `new` in place; say whether anything changed."""

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Raise Refused where the object may not be stored."""


class DeletionGuard(Protocol):
    """What a webhook for deletions would do."""

    def refuse(self, call: Call, raw: Raw) -> None:
        """Raise Refused where the object may not be deleted; `call` may be an eviction."""

"""How Kruise's validator judges pod templates: by the rules of Kubernetes 1.32, on which it is built (migration.md §4.5)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.native.checks.pod.spec import check_template

_SOURCES: Final = ("`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`", "`configMapKeyRef` or `secretKeyRef`")
"""What an environment variable can be taken from, as 1.36 and 1.32 name it."""


def check_older_template(template: Raw, at: str) -> Iterator[FieldError]:
    """Validate a template as `check_template` does, without what came after 1.32."""
    for index, container in enumerate(dig(template, ("spec", "containers"), [])):
        if container.get("restartPolicy") is not None:
            field = f"{at}.spec.containers[{index}].restartPolicy"
            yield forbidden(field, "may not be set for non-init containers")
    for error in check_template(template, at):
        yield error._replace(message=error.message.replace(*_SOURCES))

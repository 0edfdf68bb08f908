"""What every workload must satisfy before it is converted: a selector that selects its own pods (migration.md §10)."""

from kubectl_kruise.errors import RefusedError
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of
from kubectl_kruise.objects.selector import selector_of


def check_selector(source: Raw) -> None:
    """Raise RefusedError where the selector of a workload is empty or does not match its own template."""
    wanted = dig(source, ("spec", "selector"), {})
    try:
        selector = selector_of(wanted)
    except ValueError as error:
        raise refused(source, f"spec.selector: {error}") from None
    if not (wanted.get("matchLabels") or wanted.get("matchExpressions")):
        raise refused(source, "spec.selector is empty")
    if not selector.matches(labels_of(dig(source, ("spec", "template"), {}))):
        raise refused(source, "spec.selector does not match the labels of spec.template")


def refused(source: Raw, why: str, hint: str = "") -> RefusedError:
    """Give the error for a workload that cannot be converted, by its kind and name."""
    return RefusedError(
        f'cannot convert {str(source.get("kind")).lower()} "{name_of(source)}": {why}', hint=hint
    )

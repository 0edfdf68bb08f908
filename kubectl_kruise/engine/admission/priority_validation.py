"""Validation of the priorities by which pods are updated (cloneset.md §5.3, advanced-statefulset.md W-10)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import selector_of

_WEIGHTS: Final = range(101)


def priority_problem(priority: Raw) -> str:
    """Say in the webhook's words what is wrong with a typed priority strategy, the first thing only; "" where nothing is."""
    weights, orders = priority.get("weightPriority") or [], priority.get("orderPriority") or []
    if weights and orders:
        return "only one of weightPriority and orderPriority can be used"
    for term in weights:
        if term["weight"] not in _WEIGHTS:
            return "weight must be valid number in the range 1-100"
        if not any(term["matchSelector"].values()):
            return "selector can not be empty"
        try:
            selector_of(term["matchSelector"])
        except ValueError as error:
            return f"invalid selector {error}"
    return "" if all(term["orderedKey"] for term in orders) else "order key can not be empty"

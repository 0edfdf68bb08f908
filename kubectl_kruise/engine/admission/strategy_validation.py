"""Validation of the update strategy of v1alpha1 CloneSets (cloneset.md §5.1 to §5.3)."""

from collections.abc import Iterator
from typing import Final

from kubectl_kruise.engine.admission.complaint import go_share, invalid, quoted
from kubectl_kruise.objects.notation.field_errors import FieldError, required
from kubectl_kruise.objects.notation.number import IntOrPercent, strict
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import selector_of

_FIELD: Final = "spec.updateStrategy"
_TYPES: Final = ("ReCreate", "InPlaceIfPossible", "InPlaceOnly")
_WEIGHTS: Final = range(101)


def strategy_problems(spec: Raw) -> Iterator[FieldError]:
    """Judge the strategy of a typed spec, in the webhook's order."""
    strategy: Raw = spec["updateStrategy"]
    kind = str(strategy.get("type") or "")
    if kind not in _TYPES:
        yield invalid(
            f"{_FIELD}.type", quoted(kind), "must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'"
        )
    replicas = int(spec.get("replicas") or 0)
    yield from _partition_problems(strategy, replicas)
    yield from _budget_problems(strategy, replicas, kind)
    if complaint := _priority_problem(strategy.get("priorityStrategy") or {}):
        yield required(f"{_FIELD}.priorityStrategy", complaint)
    if complaint := _scatter_problem(strategy.get("scatterStrategy") or []):
        yield required(f"{_FIELD}.scatterStrategy", complaint)


def _partition_problems(strategy: Raw, replicas: int) -> Iterator[FieldError]:
    field = f"{_FIELD}.partition"
    count, problem = _resolve(strategy.get("partition"), replicas, field, "partition")
    if problem is not None:
        yield problem
    elif count < 0:
        yield invalid(field, str(count), "must be greater than or equal to 0")


def _budget_problems(strategy: Raw, replicas: int, kind: str) -> Iterator[FieldError]:
    surge_field, down_field = f"{_FIELD}.maxSurge", f"{_FIELD}.maxUnavailable"
    counts = {"maxUnavailable": 0, "maxSurge": 0}
    for name, field in (("maxUnavailable", down_field), ("maxSurge", surge_field)):
        if strategy.get(name) is None:
            continue
        counts[name], problem = _resolve(strategy[name], replicas, field, name)
        if problem is not None:
            yield problem
    if counts["maxSurge"] > 0 and kind == "InPlaceOnly":
        shown = quoted(str(strategy["maxSurge"]))
        yield invalid(surge_field, shown, "can not use maxSurge with strategy type InPlaceOnly")
    if replicas > 0 and counts["maxUnavailable"] < 1 and counts["maxSurge"] < 1:
        detail = "maxUnavailable and maxSurge should not both be less than 1"
        yield invalid(down_field, go_share(strategy.get("maxUnavailable")), detail)


def _resolve(
    value: IntOrPercent | None, replicas: int, field: str, name: str
) -> tuple[int, FieldError | None]:
    try:
        return strict(value, replicas), None
    except ValueError as error:
        shown = quoted("<nil>" if value is None else str(value))
        return 0, invalid(field, shown, f"failed GetScaledValueFromIntOrPercent for {name}: {error}")


def _priority_problem(priority: Raw) -> str:
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


def _scatter_problem(terms: list[Raw]) -> str:
    seen: set[tuple[str, str]] = set()
    for term in terms:
        if not term["key"]:
            return "key should not be empty"
        pair = term["key"], term["value"]
        if pair in seen:
            return f"duplicated key={pair[0]} value={pair[1]}"
        seen.add(pair)
    return ""

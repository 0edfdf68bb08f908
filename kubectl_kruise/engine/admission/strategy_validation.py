"""Validation of the update strategy of CloneSets, in both versions (cloneset.md §5.1 to §5.4)."""

import re
from collections.abc import Iterator
from typing import Final

from kubectl_kruise.engine.admission.complaint import go_share, invalid, quoted
from kubectl_kruise.engine.admission.priority_validation import priority_problem
from kubectl_kruise.objects.notation.field_errors import FieldError, required
from kubectl_kruise.objects.notation.number import IntOrPercent, strict
from kubectl_kruise.objects.raw import Raw

_FIELD: Final = "spec.updateStrategy"
_ROLLING: Final = f"{_FIELD}.rollingUpdate"
_POLICIES: Final = ("ReCreate", "InPlaceIfPossible", "InPlaceOnly")
_INT32: Final = range(-(2**31), 2**31)


def strategy_problems(spec: Raw, version: str) -> Iterator[FieldError]:
    """Judge the strategy of a typed spec of this version, in the webhook's order."""
    strategy: Raw = spec["updateStrategy"]
    kind = str(strategy.get("type") or "")
    replicas = int(spec.get("replicas") or 0)
    if version == "v1beta1":
        if kind not in ("RollingUpdate", "OnDelete", ""):
            yield invalid(f"{_FIELD}.type", quoted(kind), "must be 'RollingUpdate' or 'OnDelete'")
        if (rolling := strategy.get("rollingUpdate")) is not None:
            yield from _rolling_update_problems(rolling, replicas)
        return
    if kind not in _POLICIES:
        yield invalid(
            f"{_FIELD}.type", quoted(kind), "must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'"
        )
    yield from _partition_problems(strategy, replicas, _FIELD)
    down, surge, problems = _budget(strategy, replicas, _FIELD)
    yield from problems
    if surge > 0 and kind == "InPlaceOnly":
        yield _surge_in_place(strategy, _FIELD, "strategy type")
    if replicas > 0 and down < 1 and surge < 1:
        yield _no_room(strategy, _FIELD)
    yield from _order_problems(strategy, _FIELD)


def _rolling_update_problems(rolling: Raw, replicas: int) -> Iterator[FieldError]:
    """Judge a block of v1beta1, also beside OnDelete; a surge does not make up for no pod that may be unavailable (Q1)."""
    policy = str(rolling.get("podUpdatePolicy") or "")
    if policy not in (*_POLICIES, ""):
        detail = "must be 'ReCreate', 'InPlaceIfPossible' or 'InPlaceOnly'"
        yield invalid(f"{_ROLLING}.podUpdatePolicy", quoted(policy), detail)
    yield from _partition_problems(rolling, replicas, _ROLLING)
    down, surge, problems = _budget(rolling, replicas, _ROLLING)
    yield from problems
    if surge > 0 and policy == "InPlaceOnly":
        yield _surge_in_place(rolling, _ROLLING, "podUpdatePolicy")
    if replicas > 0 and down < 1:
        yield _no_room(rolling, _ROLLING)
    yield from _order_problems(rolling, _ROLLING)
    yield from _pre_download_problems(rolling.get("inPlaceUpdateStrategy") or {})


def _pre_download_problems(strategy: Raw) -> Iterator[FieldError]:
    field = f"{_ROLLING}.inPlaceUpdateStrategy"
    if (share := strategy.get("imagePreDownloadParallelism")) is not None and (
        complaint := _parallelism_problem(share)
    ):
        shown = quoted(share) if isinstance(share, str) else str(share)
        yield invalid(
            f"{field}.imagePreDownloadParallelism", shown, f"imagePreDownloadParallelism {complaint}"
        )
    for name in ("imagePreDownloadTimeoutSeconds", "imagePreDownloadMinUpdatedReadyPods"):
        if strategy.get(name, 0) < 0:
            yield invalid(f"{field}.{name}", str(strategy[name]), "must be greater than or equal to 0")


def _parallelism_problem(share: IntOrPercent) -> str:
    if isinstance(share, str):
        if "%" in share:
            return "does not support percentage value"
        if not re.fullmatch(r"[+-]?[0-9]+", share) or int(share) not in _INT32:
            return "must be a valid integer"
    return "must be non-negative" if int(share) < 0 else ""


def _order_problems(strategy: Raw, at: str) -> Iterator[FieldError]:
    if complaint := priority_problem(strategy.get("priorityStrategy") or {}):
        yield required(f"{at}.priorityStrategy", complaint)
    if complaint := _scatter_problem(strategy.get("scatterStrategy") or []):
        yield required(f"{at}.scatterStrategy", complaint)


def _partition_problems(strategy: Raw, replicas: int, at: str) -> Iterator[FieldError]:
    field = f"{at}.partition"
    count, problem = _resolve(strategy.get("partition"), replicas, field, "partition")
    if problem is not None:
        yield problem
    elif count < 0:
        yield invalid(field, str(count), "must be greater than or equal to 0")


def _budget(strategy: Raw, replicas: int, at: str) -> tuple[int, int, list[FieldError]]:
    """Resolve maxUnavailable and maxSurge, 0 where absent; with what cannot be resolved."""
    counts = {"maxUnavailable": 0, "maxSurge": 0}
    problems = []
    for name in counts:
        if strategy.get(name) is None:
            continue
        counts[name], problem = _resolve(strategy[name], replicas, f"{at}.{name}", name)
        if problem is not None:
            problems.append(problem)
    return counts["maxUnavailable"], counts["maxSurge"], problems


def _surge_in_place(strategy: Raw, at: str, what: str) -> FieldError:
    shown = quoted(str(strategy["maxSurge"]))
    return invalid(f"{at}.maxSurge", shown, f"can not use maxSurge with {what} InPlaceOnly")


def _no_room(strategy: Raw, at: str) -> FieldError:
    detail = "maxUnavailable and maxSurge should not both be less than 1"
    return invalid(f"{at}.maxUnavailable", go_share(strategy.get("maxUnavailable")), detail)


def _resolve(
    value: IntOrPercent | None, replicas: int, field: str, name: str
) -> tuple[int, FieldError | None]:
    try:
        return strict(value, replicas), None
    except ValueError as error:
        shown = quoted("<nil>" if value is None else str(value))
        return 0, invalid(field, shown, f"failed GetScaledValueFromIntOrPercent for {name}: {error}")


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

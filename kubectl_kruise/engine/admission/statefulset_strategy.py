"""Validation of how an Advanced StatefulSet replaces and makes its pods (advanced-statefulset.md W-4 to W-10)."""

import re
from collections.abc import Iterator
from typing import Any, Final

from kubectl_kruise.engine.admission.complaint import invalid, quoted
from kubectl_kruise.engine.admission.go_syntax import go_syntax
from kubectl_kruise.engine.admission.priority_validation import priority_problem
from kubectl_kruise.engine.admission.statefulset_defaults import ROLLING_UPDATE
from kubectl_kruise.facts.names import IN_PLACE_READY
from kubectl_kruise.facts.policies import IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY, ON_DELETE, RECREATE
from kubectl_kruise.facts.statefulset_fields import statefulset_structs
from kubectl_kruise.objects.notation.field_errors import FieldError, required
from kubectl_kruise.objects.notation.number import IntOrPercent, atoi
from kubectl_kruise.objects.raw import Raw, dig

PARALLEL: Final = "Parallel"
_FIELD: Final = "spec.updateStrategy"
_ROLLING: Final = f"{_FIELD}.rollingUpdate"
_LONGEST_READY: Final = 300


def strategy_problems(spec: Raw) -> Iterator[FieldError]:
    """Judge the update strategy of a typed and defaulted spec, in the webhook's order (W-5 to W-10)."""
    strategy: Raw = spec["updateStrategy"]
    rolling = strategy.get("rollingUpdate")
    kind = strategy.get("type") or ""
    if not kind:
        yield required(_FIELD)
    elif kind == ON_DELETE:
        if rolling is not None:
            shown = _printed(rolling, "RollingUpdateStatefulSetStrategy")
            yield invalid(_ROLLING, shown, f"only allowed for updateStrategy '{ROLLING_UPDATE}'")
    elif kind != ROLLING_UPDATE:
        shown = _printed(strategy, "StatefulSetUpdateStrategy")
        yield invalid(_FIELD, shown, f"must be '{ROLLING_UPDATE}' or '{ON_DELETE}'")
    elif rolling is not None:
        yield from _rolling_problems(rolling, spec)


def scale_problems(spec: Raw) -> Iterator[FieldError]:
    """Judge how many pods may be made at a time (W-4)."""
    share = dig(spec, ("scaleStrategy", "maxUnavailable"))
    if share is not None:
        yield from _share_problems(share, "spec.scaleStrategy.maxUnavailable", spec)


def non_negative(value: int, field: str) -> Iterator[FieldError]:
    if value < 0:
        yield invalid(field, str(value), "must be greater than or equal to 0")


def _printed(value: Any, struct: str) -> str:
    """Print a struct of v1beta1: the webhook judges every set in this version."""
    return go_syntax(value, f"{struct}@v1beta1", statefulset_structs("v1beta1"))


def _rolling_problems(rolling: Raw, spec: Raw) -> Iterator[FieldError]:
    yield from non_negative(rolling["partition"], f"{_ROLLING}.partition")
    ready: int = rolling["minReadySeconds"]
    yield from non_negative(ready, f"{_ROLLING}.minReadySeconds")
    if ready > _LONGEST_READY:
        text = f"must be no more than {_LONGEST_READY} seconds"
        yield invalid(f"{_ROLLING}.minReadySeconds", str(ready), text)
    yield from _share_problems(rolling["maxUnavailable"], f"{_ROLLING}.maxUnavailable", spec)
    yield from _policy_problems(rolling["podUpdatePolicy"], spec)
    unordered = rolling.get("unorderedUpdate")
    if unordered is not None:
        yield from _unordered_problems(unordered, spec)


def _share_problems(share: IntOrPercent, field: str, spec: Raw) -> Iterator[FieldError]:
    """Judge a number of pods or percentage, which must come to at least one (W-8)."""
    shown = go_syntax(share, "intOrString")
    if isinstance(share, int):
        yield from non_negative(share, field)
    elif not re.fullmatch("[0-9]+%", share):
        text = "a valid percent string must be a numeric string followed by an ending '%'"
        example = "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
        yield invalid(field, shown, f"{text} {example}")
    try:
        count = _of_one(share)
    except ValueError as error:
        yield invalid(field, "0", f"getValueFromIntOrPercent error: {error}")
    else:
        if count < 1:
            yield invalid(field, str(count), "should not be less than 1")
    if spec["podManagementPolicy"] != PARALLEL and share != 1:
        yield invalid(field, shown, "can only work with Parallel PodManagementPolicyType")


def _of_one(share: IntOrPercent) -> int:
    """Resolve a share against one, rounded up; every `%` of a text counts for nothing, as the controller reads it."""
    if isinstance(share, int):
        return share
    try:
        return -(-atoi(share.replace("%", "")) // 100)
    except ValueError as error:
        raise ValueError(f"invalid value for IntOrString: invalid value {quoted(share)}: {error}") from None


def _policy_problems(policy: str, spec: Raw) -> Iterator[FieldError]:
    if policy in (IN_PLACE_IF_POSSIBLE, IN_PLACE_ONLY):
        gates = dig(spec, ("template", "spec", "readinessGates"))
        if all(gate["conditionType"] != IN_PLACE_READY for gate in gates or ()):
            shown = go_syntax(gates, "[]PodReadinessGate")
            text = f"must contains {IN_PLACE_READY} when podUpdatePolicy is {policy}"
            yield invalid("spec.template.spec.readinessGates", shown, text)
    elif policy != RECREATE:
        text = f"must be '{RECREATE}', {IN_PLACE_IF_POSSIBLE} or '{IN_PLACE_ONLY}'"
        yield invalid(f"{_ROLLING}.podUpdatePolicy", quoted(policy), text)


def _unordered_problems(unordered: Raw, spec: Raw) -> Iterator[FieldError]:
    field = f"{_ROLLING}.unorderedUpdate"
    if spec["podManagementPolicy"] != PARALLEL:
        yield required(field, "unorderedUpdate can only work with Parallel PodManagementPolicyType")
    if complaint := priority_problem(unordered.get("priorityStrategy") or {}):
        yield required(f"{field}.priorityStrategy", complaint)

"""Checks on autoscalers and disruption budgets."""

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, invalid, required
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import at_most_all, share


def check_autoscaler(new: Raw, _: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    least, most, errors = spec.get("minReplicas"), spec.get("maxReplicas") or 0, []
    if least is not None and least < 1:
        errors.append(invalid("spec.minReplicas", least, "must be greater than or equal to 1"))
    if most < 1:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than 0"))
    if least is not None and most < least:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
    target = spec.get("scaleTargetRef") or {}
    errors += [required(f"spec.scaleTargetRef.{name}") for name in ("kind", "name") if not target.get(name)]
    if least == 0 and not any(
        metric.get("type") in {"Object", "External"} for metric in spec.get("metrics") or ()
    ):
        text = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden("spec.metrics", text))
    return errors


def check_budget(new: Raw, _: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    errors = []
    if least is not None and most is not None:
        shown = {
            "MinAvailable": least, "Selector": spec.get("selector"), "MaxUnavailable": most,
            "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
        }  # fmt: skip
        errors.append(invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"))
    for name, value in (("minAvailable", least), ("maxUnavailable", most)):
        errors += share(value, f"spec.{name}") + at_most_all(value, f"spec.{name}")
    return errors

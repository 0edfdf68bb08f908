"""Checks on autoscalers and disruption budgets."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import at_most_all, share

_SOURCES: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")


def check_autoscaler(new: Raw, _: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    least, most, errors = spec.get("minReplicas"), spec.get("maxReplicas") or 0, []
    if least is not None and least < 1:
        errors.append(invalid("spec.minReplicas", least, "must be greater than or equal to 1"))
    if most == 0:
        errors.append(required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than 0"))
    if least is not None and most < least:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
    target = spec.get("scaleTargetRef") or {}
    errors += [required(f"spec.scaleTargetRef.{name}") for name in ("kind", "name") if not target.get(name)]
    if not target.get("apiVersion"):
        text = "apiVersion must specify API group"
        errors.append(invalid("spec.scaleTargetRef.apiVersion", "", text))
    for index, metric in enumerate(spec.get("metrics") or ()):
        errors += _check_metric(metric, f"spec.metrics[{index}]")
    if (share := spec.get("targetCPUUtilizationPercentage")) is not None and share < 1:
        field = "spec.metrics[0].resource.target.averageUtilization"
        errors.append(invalid(field, share, "must be greater than 0"))
    if least == 0 and not any(
        metric.get("type") in {"Object", "External"} for metric in spec.get("metrics") or ()
    ):
        text = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden("spec.metrics", text))
    return errors


def _check_metric(metric: Raw, at: str) -> list[FieldError]:
    kind = metric.get("type") or ""
    if kind not in _SOURCES:
        return (
            [not_supported(f"{at}.type", kind, _SOURCES)]
            if kind
            else [required(f"{at}.type", "must specify a metric source type")]
        )
    field = kind[0].lower() + kind[1:]
    source = metric.get(field)
    if source is None:
        return [required(f"{at}.{field}", "must populate information for the given metric source")]
    use = (source.get("target") or {}).get("averageUtilization")
    if use is not None and use < 1:
        return [invalid(f"{at}.{field}.target.averageUtilization", use, "must be greater than 0")]
    return []


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

"""Autoscalers in their two versions: what v1 has no fields for, it carries in annotations (sandbox-apiserver.md R3)."""

import json
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw, dig

OLD: Final = "autoscaling/v1"
PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
METRICS, BEHAVIOR, CONDITIONS, CURRENT = (
    PREFIX + name for name in ("metrics", "behavior", "conditions", "current-metrics")
)
CPU: Final = "cpu"
_COUNTS: Final = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_RULES: Final = ("ScaleUp", "ScaleDown")
_RULE: Final = ("StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance")
_CONDITION: Final = ("type", "status", "lastTransitionTime", "reason", "message")
_REFERENCE: Final = ("kind", "name", "apiVersion")
_POLICY: Final = ("Type", "Value", "PeriodSeconds")


def convert_autoscaler(raw: Raw, api_version: str) -> Raw:
    """Give an autoscaler in the other version."""
    return (_to_old if api_version == OLD else _to_new)(raw) | {"apiVersion": api_version}


def _to_old(raw: Raw) -> Raw:
    spec, status = dict(raw.get("spec") or {}), dict(raw.get("status") or {})
    metrics, behavior = spec.pop("metrics", None) or [], spec.pop("behavior", None)
    for metric in filter(_is_cpu_share, metrics):
        spec.setdefault("targetCPUUtilizationPercentage", metric["resource"]["target"]["averageUtilization"])
    notes: dict[str, Any] = {}
    if others := [_old_metric(metric) for metric in metrics if not _is_cpu_share(metric)]:
        notes[METRICS] = others
    if behavior:
        notes[BEHAVIOR] = {name: _old_rule(behavior.get(_lower(name))) for name in _RULES}
    if conditions := status.get("conditions"):
        notes[CONDITIONS] = [_ordered(found, _CONDITION) for found in conditions]
    if current := status.get("currentMetrics"):
        notes[CURRENT] = [_old_metric(metric) for metric in current]
    shown = {key: status[key] for key in _COUNTS if key in status}
    share = [
        metric["resource"]["current"].get("averageUtilization") for metric in current or () if _is_cpu(metric)
    ]
    status = {"currentReplicas": 0, "desiredReplicas": 0} | shown
    if share and share[0] is not None:
        status["currentCPUUtilizationPercentage"] = share[0]
    texts = {key: json.dumps(value, separators=(",", ":")) for key, value in notes.items()}
    meta = dict(raw["metadata"])
    if texts:
        meta["annotations"] = {**(meta.get("annotations") or {}), **texts}
    return {**raw, "metadata": meta, "spec": spec, "status": status}


def _to_new(raw: Raw) -> Raw:
    spec, status = dict(raw.get("spec") or {}), dict(raw.get("status") or {})
    meta = dict(raw["metadata"])
    annotations = dict(meta.pop("annotations", None) or {})
    notes = {key: _read(annotations.pop(key, None)) for key in (METRICS, BEHAVIOR, CONDITIONS, CURRENT)}
    if annotations:
        meta["annotations"] = annotations
    share = spec.pop("targetCPUUtilizationPercentage", None)
    own = [] if share is None else [_cpu_share(share)]
    metrics = [*own, *(_new_metric(metric, "target") for metric in notes[METRICS] or ())]
    spec["metrics"] = metrics or [_cpu_share(80)]
    if notes[BEHAVIOR]:
        rules = ((_lower(name), _new_rule(notes[BEHAVIOR].get(name))) for name in _RULES)
        spec["behavior"] = {name: rule for name, rule in rules if rule}
    shown = {key: status[key] for key in _COUNTS if status.get(key)}
    status = shown | {"desiredReplicas": status.get("desiredReplicas") or 0}
    status["currentMetrics"] = [_new_metric(metric, "current") for metric in notes[CURRENT] or ()] or None
    if notes[CONDITIONS]:
        status["conditions"] = notes[CONDITIONS]
    return {**raw, "metadata": meta, "spec": spec, "status": status}


def _cpu_share(percent: int) -> Raw:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": CPU, "target": target}}


def _is_cpu_share(metric: Raw) -> bool:
    resource = metric.get("resource") or {}
    target = resource.get("target") or {}
    return resource.get("name") == CPU and target.get("averageUtilization") is not None


def _old_metric(metric: Raw) -> Raw:
    """Write a metric as v1 does: what is measured and how much in one flat struct."""
    kind = metric.get("type") or ""
    field = _lower(kind)
    source = metric.get(field) or {}
    part = "target" if "target" in source else "current"
    amounts = source.get(part) or {}
    name, selector = ((source.get("metric") or {}).get(key) for key in ("name", "selector"))
    flat: Raw = {}
    if "describedObject" in source:
        flat["target"] = _ordered(source["describedObject"], _REFERENCE)
    flat |= {"metricName": name} if name is not None else {"name": source.get("name")}
    for amount in ("averageUtilization", "averageValue", "value"):
        if amounts.get(amount) is not None:
            key = (
                amount
                if (kind, amount) == ("Object", "averageValue")
                else part + amount[0].upper() + amount[1:]
            )
            flat[key] = amounts[amount]
    if "container" in source:
        flat["container"] = source["container"]
    if selector:
        flat["metricSelector" if kind == "External" else "selector"] = selector
    return {"type": kind, field: flat}


def _new_metric(metric: Raw, part: str) -> Raw:
    kind = metric.get("type") or ""
    field = _lower(kind)
    flat = metric.get(field) or {}
    amounts: Raw = {}
    for amount, told in (
        ("averageUtilization", "Utilization"),
        ("averageValue", "AverageValue"),
        ("value", "Value"),
    ):
        value = flat.get(part + amount[0].upper() + amount[1:], flat.get(amount))
        if value is not None:
            amounts[amount] = value
            if part == "target":
                amounts.setdefault("type", told)
    source: Raw = {part: amounts}
    if "metricName" in flat:
        selector = flat.get("metricSelector") or flat.get("selector")
        source["metric"] = {"name": flat["metricName"]} | ({"selector": selector} if selector else {})
    else:
        source["name"] = flat.get("name")
    if kind == "Object":
        source["describedObject"] = flat.get("target") or {}
    if "container" in flat:
        source["container"] = flat["container"]
    return {"type": kind, field: source}


def _old_rule(rule: Raw | None) -> Raw | None:
    if rule is None:
        return None
    shown = {name: rule.get(_lower(name)) for name in _RULE}
    shown["Policies"] = [
        {name: policy.get(_lower(name)) for name in _POLICY} for policy in rule.get("policies") or ()
    ]
    return shown


def _new_rule(rule: Any) -> Raw | None:
    if not isinstance(rule, dict):
        return None
    found = {_lower(name): rule[name] for name in _RULE if rule.get(name) is not None}
    if policies := rule.get("Policies"):
        found["policies"] = [{_lower(name): policy.get(name) for name in _POLICY} for policy in policies]
    return found


def _ordered(raw: Raw, keys: tuple[str, ...]) -> Raw:
    """Give a struct with its fields in the order of the Go type, for texts in which that shows."""
    return {key: raw[key] for key in keys if key in raw}


def _is_cpu(metric: Raw) -> bool:
    return dig(metric, ("resource", "name")) == CPU and isinstance(dig(metric, ("resource", "current")), dict)


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _read(text: Any) -> Any:
    """Read an annotation; a text that is none of ours counts for nothing."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None

"""The same object in another served version (sandbox-apiserver.md R1, R3, CR11)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, dig

_EVENT_NAMES: Final = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
)
_CPU: Final = "targetCPUUtilizationPercentage"


def convert(raw: Raw, api_version: str) -> Raw:
    """Give `raw` in `api_version`; the same object where it already is in it. Conversion strategy None otherwise."""
    if raw["apiVersion"] == api_version:
        return raw
    converted = {**raw, "apiVersion": api_version}
    match api_version, raw["kind"]:
        case "events.k8s.io/v1", "Event":
            return _renamed(converted, dict(_EVENT_NAMES))
        case "v1", "Event":
            return _renamed(converted, {new: old for old, new in _EVENT_NAMES})
        case "autoscaling/v1", "HorizontalPodAutoscaler":
            return _with_spec(converted, _to_v1(raw.get("spec") or {}))
        case "autoscaling/v2", "HorizontalPodAutoscaler":
            return _with_spec(converted, _to_v2(raw.get("spec") or {}))
    return converted


def _renamed(raw: Raw, names: dict[str, str]) -> Raw:
    return {names.get(key, key): value for key, value in raw.items()}


def _with_spec(raw: Raw, spec: Raw) -> Raw:
    return raw | {"spec": spec}


def _to_v1(spec: Raw) -> Raw:
    metrics = spec.get("metrics") or []
    cpu: Raw = next(
        (found for found in (dig(m, ("resource",), {}) for m in metrics) if found.get("name") == "cpu"), {}
    )
    target = dig(cpu, ("target", "averageUtilization"))
    kept = {key: value for key, value in spec.items() if key not in ("metrics", "behavior")}
    return kept if target is None else kept | {_CPU: target}


def _to_v2(spec: Raw) -> Raw:
    kept = {key: value for key, value in spec.items() if key != _CPU}
    if (percent := spec.get(_CPU)) is None:
        return kept
    target = {"type": "Utilization", "averageUtilization": percent}
    return kept | {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]}

"""LimitRanges: what a new one gets, and what may not be in one."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    required,
)
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.resources import ONE

_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_ORDER: Final = (
    # (field complained about, field it is compared with, whether the former may not be the larger one, value shown, words)
    ("min", "max", True, "min", "min value {0} is greater than max value {1}"),
    ("defaultRequest", "min", False, "defaultRequest", "min value {1} is greater than default request value {0}"),
    ("defaultRequest", "max", True, "defaultRequest", "default request value {0} is greater than max value {1}"),
    (
        "defaultRequest", "default", True, "defaultRequest",
        "default request value {0} is greater than default limit value {1}",
    ),
    ("default", "min", False, "min", "min value {1} is greater than default value {0}"),
    ("default", "max", True, "max", "default value {0} is greater than max value {1}"),
)  # fmt: skip


def fill_limit_range(obj: Raw) -> None:
    """Derive a container's default limit from the maximum, and its default request from that or the minimum."""
    for limit in (obj.get("spec") or {}).get("limits") or ():
        if limit.get("type") != "Container":
            continue
        default = {**(limit.get("max") or {}), **(limit.get("default") or {})}
        request = {**(limit.get("min") or {}), **default, **(limit.get("defaultRequest") or {})}
        limit |= {name: value for name, value in (("default", default), ("defaultRequest", request)) if value}


def check_limit_range(new: Raw, _: Raw | None) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, limit in enumerate((new.get("spec") or {}).get("limits") or ()):
        at, kind = f"spec.limits[{index}]", str(limit.get("type") or "")
        if kind not in _TYPES and "/" not in kind:
            errors.append(invalid(f"{at}.type", kind, "must be a standard limit type or fully qualified"))
        if kind in seen:
            errors.append(duplicate(f"{at}.type", kind))
        seen.add(kind)
        errors += _check_limit(limit, kind, at)
    return errors


def _check_limit(limit: Raw, kind: str, at: str) -> list[FieldError]:
    errors = []
    if kind == "Pod":
        text = "may not be specified when `type` is 'Pod'"
        errors += [
            forbidden(f"{at}.{name}", text) for name in ("default", "defaultRequest") if limit.get(name)
        ]
        limit = {name: value for name, value in limit.items() if name not in ("default", "defaultRequest")}
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in (limit.get(name) or {}) for name in ("min", "max")
    ):
        text = "either minimum or maximum storage value is required, but neither was provided"
        errors.append(required(f"{at}.limits", text))
    names = ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    resources = sorted({resource for name in names for resource in limit.get(name) or {}})
    for resource in resources:
        given = {name: limit[name][resource] for name in names if resource in (limit.get(name) or {})}
        errors += _check_order(given, resource, at) + _check_ratio(given, resource, at)
    return errors


def _check_order(given: dict[str, Any], resource: str, at: str) -> list[FieldError]:
    errors = []
    for field, other, at_most, shown, words in _ORDER:
        if field not in given or other not in given:
            continue
        excess = parse_quantity(given[field]).nanos - parse_quantity(given[other]).nanos
        if excess > 0 if at_most else excess < 0:
            text = words.format(given[field], given[other])
            errors.append(invalid(f"{at}.{field}[{resource}]", given[shown], text))
    return errors


def _check_ratio(given: dict[str, Any], resource: str, at: str) -> list[FieldError]:
    if "maxLimitRequestRatio" not in given:
        return []
    shown, field = given["maxLimitRequestRatio"], f"{at}.maxLimitRequestRatio[{resource}]"
    ratio = parse_quantity(shown).nanos
    errors = [invalid(field, shown, f"ratio {shown} is less than 1")] if ratio < ONE.nanos else []
    least, most = (parse_quantity(given.get(name, "0")).nanos for name in ("min", "max"))
    if least and most and ratio / ONE.nanos > most / least:
        errors.append(invalid(field, shown, f"ratio {shown} is greater than max/min = {most / least:f}"))
    return errors

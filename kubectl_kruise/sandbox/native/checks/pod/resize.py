"""Checks on what subresource `resize` may change: cpu and memory of containers, and never the pod's QoS class."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, invalid
from kubectl_kruise.objects.qos import qos_class
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.native.checks.pod.spec import check_pod_spec

_GROUPS: Final = ("containers", "initContainers")
_RESIZABLE: Final = ("cpu", "memory")
_PARTS: Final = ("requests", "limits")


def check_resize(new: Raw, old: Raw) -> list[FieldError]:
    """Give the complaints about a resize, `new` being the stored pod with other resources."""
    spec, before = new["spec"], old["spec"]
    errors = check_pod_spec(spec, "spec")
    if dig(before, ("os", "name")) == "windows":
        return [forbidden("[]", "windows pods cannot be resized")]
    if qos_class(spec) != dig(old, ("status", "qosClass")):
        shown = dig(old, ("status", "qosClass"), "")
        errors.append(invalid("spec", shown, "Pod QOS Class may not change as a result of resizing"))
    misplaced = [error for group in _GROUPS for error in _check_order(spec, before, group)]
    if misplaced:
        return errors + misplaced
    errors += [error for group in _GROUPS for error in _check_removals(spec, before, group)]
    if _fixed(spec["containers"]) != _fixed(before["containers"]):
        errors.append(forbidden("spec", "only cpu and memory resources are mutable"))
    text = "only cpu and memory resources for init or sidecar containers are mutable"
    return errors + [
        forbidden(f"spec.initContainers[{index}]", text)
        for index, (one, other) in enumerate(_pairs(spec, before, "initContainers"))
        if _fixed([one]) != _fixed([other])
    ]


def _check_order(spec: Raw, before: Raw, group: str) -> list[FieldError]:
    if len(spec.get(group) or ()) != len(before.get(group) or ()):
        return [forbidden(f"spec.{group}", f"{group} may not be added or removed on resize")]
    text = f"{group} may not be renamed or reordered on resize"
    return [
        forbidden(f"spec.{group}[{index}].name", text)
        for index, (one, other) in enumerate(_pairs(spec, before, group))
        if one.get("name") != other.get("name")
    ]


def _check_removals(spec: Raw, before: Raw, group: str) -> list[FieldError]:
    return [
        forbidden(f"spec.{group}[{index}].resources.{part}", f"resource {part} cannot be removed")
        for index, (one, other) in enumerate(_pairs(spec, before, group))
        for part in _PARTS
        if dig(other, ("resources", part), {}).keys() - dig(one, ("resources", part), {}).keys()
    ]


def _pairs(spec: Raw, before: Raw, group: str) -> list[tuple[Raw, Raw]]:
    return list(zip(spec.get(group) or (), before.get(group) or (), strict=True))


def _fixed(containers: list[Raw]) -> list[Any]:
    """Leave out what a resize may change."""
    return [{**container, "resources": _fixed_resources(container)} for container in containers]


def _fixed_resources(container: Raw) -> Raw:
    resources = container.get("resources") or {}
    kept = {
        part: {name: value for name, value in (resources.get(part) or {}).items() if name not in _RESIZABLE}
        for part in _PARTS
    }
    return {key: value for key, value in resources.items() if key not in _PARTS} | kept

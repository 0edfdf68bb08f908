"""Resources of living containers, changed in place behind gate InPlaceWorkloadVerticalScaling (cloneset.md §19)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubectl_kruise.engine.inplace.difference import Operation
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.pod import statuses_of
from kubectl_kruise.objects.raw import Raw, dig

Resources = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Container → `limits` or `requests` → resource → quantity: the values that change, and no others."""

_RESIZABLE: Final = ("cpu", "memory")
_PARTS: Final = ("limits", "requests")


class Resize(NamedTuple):
    """One value that one container gets."""

    container: str
    part: str
    resource: str
    quantity: str


def read_resize(operation: Operation, before: Raw) -> Resize | None:
    """Give the change of cpu or memory that an operation on template `before` makes, None for any other (§19.1).

    Values may be replaced, never added or removed.
    """
    match operation:
        case Operation(
            "replace",
            (
                "spec",
                "containers",
                index,
                "resources",
                "limits" | "requests" as part,
                "cpu" | "memory" as resource,
            ),
            str() | int() | float() as quantity,
        ):
            name = dig(before, ("spec", "containers", int(index), "name"))
            return Resize(str(name), part, resource, str(quantity)) if name and _readable(quantity) else None
    return None


def needs_restart(pod: Raw, resources: Resources) -> bool:
    """Say whether a container's resizePolicy asks for its restart for a resource that changes (§17.2)."""
    for container in dig(pod, ("spec", "containers"), []):
        changing = resources.get(str(container.get("name")), {})
        names = {name for part in changing.values() for name in part}
        for policy in container.get("resizePolicy") or []:
            if policy.get("restartPolicy") == "RestartContainer" and policy.get("resourceName") in names:
                return True
    return False


def resize_patch(pod: Raw, resources: Resources) -> Raw | None:
    """Give the strategic merge patch for subresource `resize`, in pod order; None where the pod has the values already."""
    containers = []
    for container in dig(pod, ("spec", "containers"), []):
        wanted = resources.get(str(container.get("name")), {})
        own = container.get("resources") or {}
        differing = {
            part: changed
            for part in _PARTS
            if (changed := _differing(own.get(part) or {}, wanted.get(part) or {}))
        }
        if differing:
            containers.append({"name": container["name"], "resources": differing})
    return {"spec": {"containers": containers}} if containers else None


def with_resources(pod: Raw, resources: Resources) -> Raw:
    """Give the pod with the values in its own spec, as clusters without the subresource take them."""
    containers = [
        {**container, "resources": _merged(container.get("resources") or {}, resources[container["name"]])}
        if container.get("name") in resources
        else container
        for container in dig(pod, ("spec", "containers"), [])
    ]
    return {**pod, "spec": {**(pod.get("spec") or {}), "containers": containers}}


def resources_arrived(pod: Raw) -> bool:
    """Say whether every container runs with the limits and requests of the spec (§19.3)."""
    return len(statuses_of(pod)) == len(dig(pod, ("spec", "containers"), [])) and not unresized_containers(
        pod
    )


def unresized_containers(pod: Raw) -> list[str]:
    """Name the containers whose status does not show the resources of the spec, in pod order.

    One without any still needs an empty `resources` in its status, by which a kubelet shows that it tells them.
    """
    statuses = statuses_of(pod)
    found = []
    for container in dig(pod, ("spec", "containers"), []):
        actual = statuses.get(str(container.get("name")), {}).get("resources")
        wanted = container.get("resources") or {}
        if actual is None or any(_amounts(actual.get(part)) != _amounts(wanted.get(part)) for part in _PARTS):
            found.append(str(container.get("name")))
    return found


def _differing(own: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    return {
        name: wanted[name]
        for name in _RESIZABLE
        if name in wanted and (name not in own or _amount(own[name]) != _amount(wanted[name]))
    }


def _merged(own: Raw, changes: Mapping[str, Mapping[str, str]]) -> Raw:
    return {**own, **{part: {**(own.get(part) or {}), **values} for part, values in changes.items()}}


def _amounts(quantities: Mapping[str, str] | None) -> dict[str, int]:
    return {name: _amount(value) for name, value in (quantities or {}).items()}


def _amount(quantity: str) -> int:
    return parse_quantity(quantity).nanos


def _readable(quantity: str | float) -> bool:
    try:
        parse_quantity(quantity)
    except ValueError:
        return False
    return True

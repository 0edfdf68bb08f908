"""Amounts of resources: as maps of quantities say them, added up, and what a pod as a whole asks for."""

from collections.abc import Mapping
from typing import Final

from kubectl_kruise.objects.notation.quantity import Quantity, parse_quantity
from kubectl_kruise.objects.raw import Raw

Amounts = Mapping[str, Quantity]

ONE: Final = parse_quantity("1")
ZERO: Final = parse_quantity("0")


def read_amounts(given: Mapping[str, str] | None) -> dict[str, Quantity]:
    """Read a map of quantities, none for None. Raises ValueError for a quantity that is none."""
    return {name: parse_quantity(value) for name, value in (given or {}).items()}


def add(one: Quantity, other: Quantity) -> Quantity:
    """Add amounts; the sum is written as the first one, unless that is nothing."""
    notation = one.notation if one.nanos else other.notation
    return Quantity(one.nanos + other.nanos, notation)


def pod_requests(spec: Raw) -> Amounts:
    return _total(spec, "requests")


def pod_limits(spec: Raw) -> Amounts:
    return _total(spec, "limits")


def _total(spec: Raw, part: str) -> Amounts:
    """Add up what runs at once, per resource that any container names.

    Containers and sidecars run together; an init container runs beside the sidecars before it, and where it needs more
    than all of those together, its need counts. Raises ValueError for a quantity that is none.
    """
    running: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in spec.get("initContainers") or ():
        own = _amounts(container, part)
        if container.get("restartPolicy") == "Always":
            running = _sum(running, own)
        else:
            starting = _larger(starting, _sum(running, own))
    for container in spec.get("containers") or ():
        running = _sum(running, _amounts(container, part))
    return _larger(running, starting)


def _amounts(container: Raw, part: str) -> dict[str, Quantity]:
    return read_amounts((container.get("resources") or {}).get(part))


def _sum(one: dict[str, Quantity], other: dict[str, Quantity]) -> dict[str, Quantity]:
    return one | {name: add(one.get(name, ZERO), amount) for name, amount in other.items()}


def _larger(one: dict[str, Quantity], other: dict[str, Quantity]) -> dict[str, Quantity]:
    more = {
        name: amount for name, amount in other.items() if name not in one or amount.nanos > one[name].nanos
    }
    return one | more

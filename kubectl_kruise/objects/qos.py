"""The quality of service of a pod, which no in-place change may touch."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.raw import Raw

_RESOURCES: Final = ("cpu", "memory")


def qos_class(spec: Raw) -> str:
    """Give Guaranteed, Burstable or BestEffort for a pod spec, from cpu and memory of all its containers.

    Guaranteed asks for both limits on every container and for requests of the same amount, written out: limits alone,
    as a template may have them, are Burstable. Resources of the pod as a whole take the containers' place. Raises
    ValueError for a quantity that is none.
    """
    whole = spec.get("resources") or {}
    if whole.get("limits") or whole.get("requests"):
        return _class([whole])
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    return _class([container.get("resources") or {} for container in containers])


def _class(resources: Iterable[Raw]) -> str:
    guaranteed = True
    requests: Counter[str] = Counter()
    limits: Counter[str] = Counter()
    for each in resources:
        requests += _amounts(each.get("requests"))
        limited = _amounts(each.get("limits"))
        guaranteed = guaranteed and len(limited) == len(_RESOURCES)
        limits += limited
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and requests == limits else "Burstable"


def _amounts(quantities: Raw | None) -> Counter[str]:
    """Give what counts: amounts of cpu and memory above zero."""
    amounts = Counter(
        {
            name: parse_quantity(value).nanos
            for name, value in (quantities or {}).items()
            if name in _RESOURCES
        }
    )
    return +amounts

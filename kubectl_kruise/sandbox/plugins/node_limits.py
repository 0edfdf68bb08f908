"""Resizes that a pod's node could never carry out: the server refuses them itself."""

from collections.abc import Callable
from typing import Final

from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.pod import node_of
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.resources import Amounts, pod_requests
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store

_UNITS: Final = {"cpu": 10**6, "memory": 10**9}
"""Nanos of the unit in which a resource is counted: thousandths of a core, bytes."""


class NodeLimits:
    """Holds resizes of bound pods against what their nodes have and can do."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:  # noqa: ARG002 - only judges
        return False

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Refuse with 403 a resize that the node cannot do, and one beyond all that the node could give to one pod."""
        if call.resource.key != "pods" or call.subresource != "resize" or old is None:
            return
        node = self._store.get("nodes", "", node_of(new))
        if node is None:
            return
        for feature, part in _FEATURES:
            if part(new) != part(old):
                why = f'pod update requires features {feature} which are not available on node "{node.name}"'
                raise status.forbidden("", "pods", name_of(new), why)
        allocatable = dig(node.object, ("status", "allocatable"), {})
        if excess := _excess(pod_requests(new["spec"]), allocatable):
            why = f"node didn't have enough allocatable resources: {'; '.join(excess)}"
            raise status.forbidden("", "pods", name_of(new), why)


def _starting(pod: Raw) -> list[Raw]:
    """Give the resources of the containers that run before the others, not beside them."""
    return [
        container.get("resources") or {}
        for container in dig(pod, ("spec", "initContainers"), [])
        if container.get("restartPolicy") != "Always"
    ]


def _whole(pod: Raw) -> Raw:
    """Give the resources of the pod as a whole."""
    found: Raw = dig(pod, ("spec", "resources"), {})
    return found


_FEATURES: Final[tuple[tuple[str, Callable[[Raw], object]], ...]] = (
    ("InPlacePodLevelResourcesVerticalScaling", _whole),
    ("InPlacePodVerticalScalingInitContainers", _starting),
)
"""What nodes do not have, and the part of a pod that cannot change without it."""


def _excess(requests: Amounts, allocatable: Raw) -> list[str]:
    found = []
    for name, unit in _UNITS.items():
        if name not in requests or name not in allocatable:
            continue
        asked, given = -(-requests[name].nanos // unit), parse_quantity(allocatable[name]).nanos // unit
        if asked > given:
            found.append(f"{name}, requested: {asked}, allocatable: {given}")
    return found

"""LimitRanges at work: defaults for containers, and bounds for pods, their containers and volume claims."""

from collections.abc import Iterator, Mapping
from typing import Final

from kubectl_kruise.objects.notation.quantity import Quantity
from kubectl_kruise.objects.raw import Raw, dig, name_of
from kubectl_kruise.objects.resources import ONE, Amounts, pod_limits, pod_requests, read_amounts
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import Call
from kubectl_kruise.sandbox.store import Store

ANNOTATION: Final = "kubernetes.io/limit-ranger"
_GROUPS: Final = (("containers", "container"), ("initContainers", "init container"))


class LimitRanges:
    """Judges new pods and their resizes, and volume claims; nothing else of a pod can change its resources."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def mutate(self, call: Call, new: Raw, old: Raw | None) -> bool:
        """Give containers of a new or resized pod the defaults that they lack, and tell so in an annotation."""
        if not _about_pods(call, old):
            return False
        notes = [note for limits in self._limits(call) for note in _fill(new["spec"], limits)]
        if not notes:
            return False
        if old is None:
            meta = new["metadata"]
            meta["annotations"] = {
                **(meta.get("annotations") or {}),
                ANNOTATION: "LimitRanger plugin set: " + "; ".join(notes),
            }
            new["status"].pop("qosClass", None)
        return True

    def validate(self, call: Call, new: Raw, old: Raw | None) -> None:
        """Refuse with 403 what is beyond a bound; of several LimitRanges the first one speaks."""
        if not _about_pods(call, old) and not (
            call.resource.key == "persistentvolumeclaims" and not call.subresource
        ):
            return
        judge = _judge_pod if call.resource.key == "pods" else _judge_claim
        for limits in self._limits(call):
            complaints = list(dict.fromkeys(text for limit in limits for text in judge(new, limit)))
            if complaints:
                why = complaints[0] if len(complaints) == 1 else f"[{', '.join(complaints)}]"
                raise status.forbidden("", call.resource.plural, name_of(new), why)

    def _limits(self, call: Call) -> Iterator[list[Raw]]:
        for stored in self._store.items("limitranges", call.namespace):
            yield dig(stored.object, ("spec", "limits"), [])


def _about_pods(call: Call, old: Raw | None) -> bool:
    if call.resource.key != "pods":
        return False
    return call.subresource == "resize" if old is not None else not call.subresource


def _fill(spec: Raw, limits: list[Raw]) -> Iterator[str]:
    for limit in limits:
        if limit.get("type") != "Container":
            continue
        for group, word in _GROUPS:
            for container in spec.get(group) or ():
                for part, source in (("requests", "defaultRequest"), ("limits", "default")):
                    if added := _complete(container, part, limit.get(source) or {}):
                        yield f"{', '.join(added)} {part[:-1]} for {word} {container['name']}"


def _complete(container: Raw, part: str, defaults: Mapping[str, str]) -> list[str]:
    """Add the defaults that a container does not have; give their names."""
    resources = container.get("resources") or {}
    own = resources.get(part) or {}
    added = {name: value for name, value in defaults.items() if name not in own}
    if added:
        container["resources"] = {**resources, part: {**own, **added}}
    return sorted(added)


def _judge_pod(pod: Raw, limit: Raw) -> Iterator[str]:
    spec, kind = pod["spec"], limit.get("type")
    if kind == "Pod":
        yield from _judge(limit, "Pod", pod_requests(spec), pod_limits(spec))
    elif kind == "Container":
        for group, _ in _GROUPS:
            for container in spec.get(group) or ():
                resources = container.get("resources") or {}
                requests, limits = (read_amounts(resources.get(part)) for part in ("requests", "limits"))
                yield from _judge(limit, "Container", requests, limits)


def _judge_claim(claim: Raw, limit: Raw) -> Iterator[str]:
    if limit.get("type") != "PersistentVolumeClaim":
        return
    requests = read_amounts(dig(claim, ("spec", "resources", "requests")))
    for name, bound in sorted(read_amounts(limit.get("min")).items()):
        yield from _too_small(name, "PersistentVolumeClaim", bound, requests.get(name), None)
    for name, bound in sorted(read_amounts(limit.get("max")).items()):
        asked, words = requests.get(name), f"maximum {name} usage per PersistentVolumeClaim is {bound}"
        if asked is None:
            yield f"{words}.  No request is specified"
        elif asked.nanos > bound.nanos:
            yield f"{words}, but request is {asked}"


def _judge(limit: Raw, kind: str, requests: Amounts, limits: Amounts) -> Iterator[str]:
    for name, bound in sorted(read_amounts(limit.get("min")).items()):
        yield from _too_small(name, kind, bound, requests.get(name), limits.get(name))
    for name, bound in sorted(read_amounts(limit.get("max")).items()):
        yield from _too_large(name, kind, bound, requests.get(name), limits.get(name))
    for name, bound in sorted(read_amounts(limit.get("maxLimitRequestRatio")).items()):
        yield from _too_unequal(name, kind, bound, requests.get(name), limits.get(name))


def _too_small(
    name: str, kind: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    words = f"minimum {name} usage per {kind} is {bound}"
    if request is None:
        yield f"{words}.  No request is specified"
    elif request.nanos < bound.nanos:
        yield f"{words}, but request is {request}"
    elif limit is not None and limit.nanos < bound.nanos:
        yield f"{words}, but limit is {limit}"


def _too_large(
    name: str, kind: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    words = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        yield f"{words}.  No limit is specified"
    elif limit.nanos > bound.nanos:
        yield f"{words}, but limit is {limit}"
    elif request is not None and request.nanos > bound.nanos:
        yield f"{words}, but request is {request}"


def _too_unequal(
    name: str, kind: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    words = f"{name} max limit to request ratio per {kind} is {bound}"
    if request is None or not request.nanos:
        yield f"{words}, but no request is specified or request is 0"
    elif limit is None or not limit.nanos:
        yield f"{words}, but no limit is specified or limit is 0"
    elif limit.nanos * ONE.nanos > bound.nanos * request.nanos:
        yield f"{words}, but provided ratio is {limit.nanos / request.nanos:f}"

"""What an object costs a ResourceQuota, and which quotas it counts for."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kubectl_kruise.objects.notation.quantity import Quantity, parse_quantity
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.pod import finished
from kubectl_kruise.objects.qos import qos_class
from kubectl_kruise.objects.raw import Raw, deleting, dig, metadata
from kubectl_kruise.objects.resources import ONE, ZERO, add, pod_limits, pod_requests, read_amounts

Usage = dict[str, Quantity]

PODS: Final = "pods"
CLAIMS: Final = "persistentvolumeclaims"
SERVICES: Final = "services"
COUNTED_BY_NAME: Final = frozenset(
    {"configmaps", "secrets", "resourcequotas", "replicationcontrollers", SERVICES, CLAIMS}
)
"""Resources that a quota may also name without the prefix `count/`."""
COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_CLASS: Final = ".storageclass.storage.k8s.io/"


def usage_of(resource: str, raw: Raw, now: float) -> Usage:
    """Give the amounts that an object of `resource` (`pods`, `deployments.apps`) counts with at this time."""
    used = {f"count/{resource}": ONE}
    if resource == PODS:
        return used | (_pod_usage(raw) if _takes_room(raw, now) else {})
    if resource in COUNTED_BY_NAME:
        used[resource] = ONE
    if resource == CLAIMS:
        used |= _claim_usage(raw)
    elif resource == SERVICES:
        used |= _service_usage(raw)
    return used


def concerns(resource: str, name: str) -> bool:
    """Say whether objects of a resource can count for the quota's entry of that name."""
    if name == f"count/{resource}":
        return True
    if resource == PODS:
        bare = name.removeprefix("requests.").removeprefix("limits.")
        extended = "/" in name and name.startswith("requests.") and _CLASS not in name
        return name == PODS or bare in COMPUTE or bare.startswith("hugepages-") or extended
    if resource == CLAIMS:
        return name in {CLAIMS, "requests.storage"} or _CLASS in name
    if resource == SERVICES:
        return name in {SERVICES, "services.loadbalancers", "services.nodeports"}
    return name == resource and resource in COUNTED_BY_NAME


def covers(quota: Raw, resource: str, raw: Raw) -> bool:
    """Say whether a quota's scopes take the object in; all of them have to, and only pods have any."""
    scopes = [{"scopeName": scope, "operator": "Exists"} for scope in dig(quota, ("spec", "scopes"), [])]
    scopes += dig(quota, ("spec", "scopeSelector", "matchExpressions"), [])
    return all(resource == PODS and _in_scope(raw, scope) for scope in scopes)


def unspecified(pod: Raw, names: Iterable[str]) -> dict[str, list[str]]:
    """Give for each compute resource that a quota limits the containers that ask for none, both sorted.

    A pod with amounts of its own need not give them per container.
    """
    if dig(pod, ("spec", "resources"), None):
        return {}
    missing: dict[str, set[str]] = {}
    wanted = {name for name in names if name.removeprefix("requests.").removeprefix("limits.") in COMPUTE}
    for group in ("containers", "initContainers"):
        for container in dig(pod, ("spec", group), []):
            given = _named(*(dig(container, ("resources", part), {}) for part in ("requests", "limits")))
            for name in wanted - given.keys():
                missing.setdefault(name, set()).add(container["name"])
    return {name: sorted(missing[name]) for name in sorted(missing)}


def _takes_room(pod: Raw, now: float) -> bool:
    if finished(pod):
        return False
    meta = metadata(pod)
    if not deleting(pod) or meta.get("deletionGracePeriodSeconds") is None:
        return True
    ends = parse_rfc3339(meta["deletionTimestamp"]) or now
    return now <= ends + float(meta["deletionGracePeriodSeconds"])


def _pod_usage(pod: Raw) -> Usage:
    spec = pod["spec"]
    sums = []
    for part, total in (("requests", pod_requests(spec)), ("limits", pod_limits(spec))):
        amounts = {**total, **read_amounts(dig(spec, ("resources", part)))}
        for name, amount in read_amounts(spec.get("overhead")).items():
            if part == "requests" or name in amounts:
                amounts[name] = add(amounts.get(name, ZERO), amount)
        sums.append(amounts)
    return {PODS: ONE} | _named(*sums)


def _named(requests: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """Put amounts under the names that quotas have for them."""
    found: dict[str, Any] = {}
    for name, amount in requests.items():
        if name in COMPUTE or name.startswith("hugepages-"):
            found[name] = amount
        if name in COMPUTE or name.startswith("hugepages-") or "/" in name:
            found[f"requests.{name}"] = amount
    return found | {f"limits.{name}": amount for name, amount in limits.items() if name in COMPUTE}


def _claim_usage(claim: Raw) -> Usage:
    storage = dig(claim, ("spec", "resources", "requests", "storage"), None)
    used = {} if storage is None else {"requests.storage": parse_quantity(storage)}
    name = dig(claim, ("spec", "storageClassName"), "")
    if name:
        used |= {f"{name}{_CLASS}{CLAIMS}": ONE}
        used |= {
            f"{name}{_CLASS}{entry}": amount for entry, amount in used.items() if entry == "requests.storage"
        }
    return used


def _service_usage(service: Raw) -> Usage:
    kind, ports = dig(service, ("spec", "type"), ""), dig(service, ("spec", "ports"), [])
    own_ports = dig(service, ("spec", "allocateLoadBalancerNodePorts"), True)
    nodeports = len(ports) if kind == "NodePort" or (kind == "LoadBalancer" and own_ports) else 0
    return {
        "services.loadbalancers": ONE if kind == "LoadBalancer" else ZERO,
        "services.nodeports": parse_quantity(nodeports),
    }


def _in_scope(pod: Raw, scope: Raw) -> bool:
    spec = pod["spec"]
    ends = spec.get("activeDeadlineSeconds") is not None
    frugal = qos_class(spec) == "BestEffort"
    judges: dict[str, Callable[[], bool]] = {
        "Terminating": lambda: ends,
        "NotTerminating": lambda: not ends,
        "BestEffort": lambda: frugal,
        "NotBestEffort": lambda: not frugal,
        "PriorityClass": lambda: _matches(spec.get("priorityClassName") or "", scope),
    }
    judge = judges.get(scope.get("scopeName", ""))
    return judge is not None and judge()


def _matches(value: str, scope: Raw) -> bool:
    values = scope.get("values") or []
    match scope.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "DoesNotExist":
            return not value
        case _:
            return bool(value)

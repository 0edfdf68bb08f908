"""Cells of what routes traffic: endpoints, slices, ingresses (sandbox-apiserver.md TB4)."""

from datetime import datetime
from typing import Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.tables.pods import NONE

UNSET: Final = "<unset>"
_SHOWN: Final = 3


def _few(found: list[str], separator: str = ",") -> str:
    """Show the first few and how many more there are."""
    if not found:
        return NONE
    more = f" + {len(found) - _SHOWN} more..." if len(found) > _SHOWN else ""
    return separator.join(found[:_SHOWN]) + more


def _endpoints(obj: Raw, _: datetime) -> str:
    found = []
    for subset in obj.get("subsets") or ():
        addresses = [address.get("ip") or "" for address in subset.get("addresses") or ()]
        ports = subset.get("ports") or ()
        if not ports:
            found += addresses
        for port in ports:
            found += [_joined(address, port.get("port")) for address in addresses]
    return _few(found)


def _joined(address: str, port: int | None) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _slice_ports(obj: Raw, _: datetime) -> str:
    ports = obj.get("ports") or []
    if not ports:
        return UNSET
    return _few([str(port["port"]) if port.get("port") is not None else "*" for port in ports])


def _slice_endpoints(obj: Raw, _: datetime) -> str:
    found = [
        address for endpoint in obj.get("endpoints") or () for address in endpoint.get("addresses") or ()
    ]
    return _few(found) if found else UNSET


def _hosts(obj: Raw, _: datetime) -> str:
    hosts = [rule["host"] for rule in dig(obj, ("spec", "rules"), []) if rule.get("host")]
    return _few(hosts) if hosts else "*"


def _ingress_address(obj: Raw, _: datetime) -> str:
    found = dig(obj, ("status", "loadBalancer", "ingress"), [])
    return ",".join(filter(None, (entry.get("ip") or entry.get("hostname") for entry in found)))


def _ingress_class(obj: Raw, _: datetime) -> str:
    spec = obj.get("spec") or {}
    annotation = dig(obj, ("metadata", "annotations", "kubernetes.io/ingress.class"))
    return str(spec.get("ingressClassName") or annotation or NONE)


def _parameters(obj: Raw, _: datetime) -> str:
    found = dig(obj, ("spec", "parameters"))
    if not found:
        return NONE
    group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
    return f"{found.get('kind')}{group}/{found.get('name')}"


CELLS: Final = {
    "endpoints": _endpoints,
    "slice_ports": _slice_ports,
    "slice_endpoints": _slice_endpoints,
    "hosts": _hosts,
    "ingress_class": _ingress_class,
    "ingress_address": _ingress_address,
    "ingress_ports": lambda obj, _: "80, 443" if dig(obj, ("spec", "tls")) else "80",
    "parameters": _parameters,
}

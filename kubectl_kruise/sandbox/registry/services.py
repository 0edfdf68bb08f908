"""Addresses and node ports that the server gives to services (sandbox-apiserver.md N1)."""

from ipaddress import IPv4Address
from typing import Final

from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.registry.resources import Resource
from kubectl_kruise.sandbox.store import Store

FIRST_ADDRESS: Final = int(IPv4Address("10.96.0.10"))
FIRST_PORT: Final = 30_000


def allocate(store: Store, resource: Resource, new: Raw, old: Raw | None) -> None:
    """Fill in `clusterIP` and node ports of a service in place; an update keeps what it had."""
    if resource.key != "services":
        return
    spec = new.setdefault("spec", {})
    if spec.get("type") == "ExternalName":
        return
    if not spec.get("clusterIP"):
        held = dig(old, ("spec", "clusterIP")) if old else None
        spec["clusterIP"] = held or _free_address(store)
        spec["clusterIPs"] = [spec["clusterIP"]]
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    if spec.get("type") in ("NodePort", "LoadBalancer"):
        before = (
            {port.get("port"): port.get("nodePort") for port in dig(old, ("spec", "ports"), [])}
            if old
            else {}
        )
        taken = {
            port.get("nodePort")
            for s in store.items("services")
            for port in dig(s.object, ("spec", "ports"), [])
        }
        for port in spec.get("ports") or ():
            if not port.get("nodePort"):
                port["nodePort"] = before.get(port.get("port")) or _free_port(taken)
                taken.add(port["nodePort"])


def _free_address(store: Store) -> str:
    taken = {dig(stored.object, ("spec", "clusterIP")) for stored in store.items("services")}
    number = FIRST_ADDRESS
    while (address := str(IPv4Address(number))) in taken:
        number += 1
    return address


def _free_port(taken: set[int]) -> int:
    return next(port for port in range(FIRST_PORT, FIRST_PORT + 2768) if port not in taken)

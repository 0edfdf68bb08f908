"""Addresses and node ports that the server gives to services (sandbox-apiserver.md N1)."""

from ipaddress import IPv4Address, ip_address, ip_network
from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid
from kubectl_kruise.objects.raw import Raw, dig
from kubectl_kruise.sandbox.registry.kinds.resources import Resource
from kubectl_kruise.sandbox.store import Store

RANGE: Final = ip_network("10.96.0.0/16")
FIRST_ADDRESS: Final = int(RANGE.network_address) + 10
PORTS: Final = range(30_000, 32_768)
WITH_PORTS: Final = ("NodePort", "LoadBalancer")
ADDRESSED: Final = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy")
"""What a service has that is more than another name."""


def allocate(store: Store, resource: Resource, new: Raw, old: Raw | None) -> None:
    """Fill in `clusterIP` and node ports of a service in place; an update keeps what it had and its type still has."""
    if resource.key != "services":
        return
    spec = new.setdefault("spec", {})
    before = (old or {}).get("spec") or {}
    if before:
        _drop_unneeded(spec, before)
    if spec.get("clusterIP") == "None" and not spec.get("selector"):
        _fill_families(spec, ["IPv4", "IPv6"], "RequireDualStack")
    if spec.get("type") == "ExternalName":
        return
    _fill_families(spec, ["IPv4"], "SingleStack")
    if not spec.get("clusterIP"):
        spec["clusterIP"] = before.get("clusterIP") or _free_address(store)
        spec["clusterIPs"] = [spec["clusterIP"]]
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    if spec.get("type") in WITH_PORTS:
        held = {port.get("port"): port.get("nodePort") for port in before.get("ports") or ()}
        taken = _taken_ports(store)
        for port in spec.get("ports") or ():
            if not port.get("nodePort"):
                port["nodePort"] = held.get(port.get("port")) or _free_port(taken)
                taken.add(port["nodePort"])


def _fill_families(spec: Raw, families: list[str], policy: str) -> None:
    spec.setdefault("ipFamilies", families)
    spec.setdefault("ipFamilyPolicy", policy)


def refused(store: Store, resource: Resource, new: Raw, old: Raw | None) -> list[FieldError]:
    """Give the complaints about an address or a port that a service asks for and cannot have."""
    if resource.key != "services":
        return []
    spec, before = new["spec"], (old or {}).get("spec") or {}
    errors = []
    address = spec.get("clusterIP")
    if address not in (None, "None", before.get("clusterIP")) and (why := _refused_address(store, address)):
        errors.append(invalid("spec.clusterIPs", [address], f"failed to allocate IP {address}: {why}"))
    held = {port.get("nodePort") for port in before.get("ports") or ()}
    taken = _taken_ports(store)
    for index, port in enumerate(spec.get("ports") or ()):
        number, field = port.get("nodePort"), f"spec.ports[{index}].nodePort"
        if not number or number in held:
            continue
        if number not in PORTS:
            text = (
                f"provided port is not in the valid range. The range of valid ports is {PORTS[0]}-{PORTS[-1]}"
            )
            errors.append(invalid(field, number, text))
        elif number in taken:
            errors.append(invalid(field, number, "provided port is already allocated"))
    return errors


def _drop_unneeded(spec: Raw, before: Raw) -> None:
    """Leave out what a service of another type had, where the change of type does not speak of it."""
    kind, former = spec.get("type"), before.get("type")
    if kind == former:
        return
    if kind == "ExternalName":
        gone = [name for name in ADDRESSED if spec.get(name) == before.get(name)]
    else:
        gone = []
    if kind not in WITH_PORTS and former in WITH_PORTS:
        gone += ["externalTrafficPolicy", "healthCheckNodePort"]
        held = [port.get("nodePort") for port in before.get("ports") or ()]
        for port in spec.get("ports") or ():
            if port.get("nodePort") in held:
                port.pop("nodePort", None)
    if kind != "LoadBalancer":
        gone += ["allocateLoadBalancerNodePorts", "loadBalancerClass"]
    for name in gone:
        spec.pop(name, None)


def _refused_address(store: Store, address: str) -> str:
    if ip_address(address) not in RANGE:
        return "the provided network does not match the current range"
    return "provided IP is already allocated" if address in _taken_addresses(store) else ""


def _taken_addresses(store: Store) -> set[str]:
    return {dig(stored.object, ("spec", "clusterIP")) for stored in store.items("services")}


def _taken_ports(store: Store) -> set[int]:
    services = (stored.object for stored in store.items("services"))
    return {port.get("nodePort") for service in services for port in dig(service, ("spec", "ports"), [])}


def _free_address(store: Store) -> str:
    taken = _taken_addresses(store)
    number = FIRST_ADDRESS
    while (address := str(IPv4Address(number))) in taken:
        number += 1
    return address


def _free_port(taken: set[int]) -> int:
    return next(port for port in PORTS if port not in taken)

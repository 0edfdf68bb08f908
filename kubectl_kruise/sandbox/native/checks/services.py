"""Checks on services."""

from ipaddress import ip_address
from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid, required
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import IMMUTABLE, one_of
from kubectl_kruise.sandbox.schema.metadata import repeated

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PORT_RANGE: Final = "must be between 1 and 65535, inclusive"


def check_service(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    kind, ports, errors = spec.get("type"), spec.get("ports") or [], []
    if not ports and spec.get("clusterIP") != "None" and kind != "ExternalName":
        errors.append(required("spec.ports"))
    errors += one_of(spec, "sessionAffinity", ("ClientIP", "None"), "spec")
    errors += one_of(spec, "type", _TYPES, "spec")
    for index, port in enumerate(ports):
        errors += _check_port(port, f"spec.ports[{index}]", named=len(ports) > 1)
    errors += repeated([port.get("name") or "" for port in ports], "spec.ports[{}].name")
    if kind == "ExternalName" and not spec.get("externalName"):
        errors.append(required("spec.externalName"))
    return errors + _check_address(spec, old)


def check_endpoints(new: Raw, _: Raw | None) -> list[FieldError]:
    errors = []
    for index, subset in enumerate(new.get("subsets") or ()):
        at = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            errors.append(required(at, "must specify `addresses` or `notReadyAddresses`"))
        for name in ("addresses", "notReadyAddresses"):
            for place, address in enumerate(subset.get(name) or ()):
                errors += _check_ip(address.get("ip") or "", f"{at}.{name}[{place}].ip")
        ports = subset.get("ports") or []
        for place, port in enumerate(ports):
            errors += _check_endpoint_port(port, f"{at}.ports[{place}]", named=len(ports) > 1)
    return errors


def _check_ip(text: str, field: str) -> list[FieldError]:
    try:
        address = ip_address(text)
    except ValueError:
        example = ", (e.g. 10.9.8.7 or 2001:db8::ffff)"
        return [invalid(field, text, f"must be a valid IP address{more}") for more in (example, "")]
    if address.is_unspecified:
        return [invalid(field, text, f"may not be unspecified ({text})")]
    if address.is_loopback:
        return [invalid(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")]
    return []


def _check_endpoint_port(port: Raw, at: str, *, named: bool) -> list[FieldError]:
    errors = [required(f"{at}.name")] if named and not port.get("name") else []
    number = port.get("port") or 0
    if not 0 < number < 65536:
        errors.append(invalid(f"{at}.port", number, _PORT_RANGE))
    return errors + one_of(port, "protocol", ("SCTP", "TCP", "UDP"), at)


def _check_port(port: Raw, at: str, *, named: bool) -> list[FieldError]:
    number, target = port.get("port") or 0, port.get("targetPort")
    errors = [required(f"{at}.name")] if named and not port.get("name") else []
    if not 0 < number < 65536:
        errors.append(invalid(f"{at}.port", number, _PORT_RANGE))
    errors += one_of(port, "protocol", ("SCTP", "TCP", "UDP"), at)
    if isinstance(target, int) and not 0 < target < 65536:
        errors.append(invalid(f"{at}.targetPort", target, _PORT_RANGE))
    return errors


def _check_address(spec: Raw, old: Raw | None) -> list[FieldError]:
    """Hold the address of a service for as long as it has one."""
    before = (old or {}).get("spec") or {}
    held, wanted = before.get("clusterIP"), spec.get("clusterIP")
    if not held or "ExternalName" in {spec.get("type"), before.get("type")} or wanted == held:
        return []
    return [invalid("spec.clusterIPs[0]", [wanted], IMMUTABLE)]

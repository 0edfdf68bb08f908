"""Checks on services."""

from ipaddress import ip_address
from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, duplicate, invalid, required
from kubectl_kruise.objects.notation.syntax import label_key_problems, label_problems, subdomain_problems
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import one_of
from kubectl_kruise.sandbox.schema.metadata import label_errors, repeated

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_POLICIES: Final = ("Cluster", "Local")
_DAY: Final = 86_400
_PORT_RANGE: Final = "must be between 1 and 65535, inclusive"


def check_service(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    if errors := _check_families(spec):
        return errors
    kind, ports = spec.get("type"), spec.get("ports") or []
    if not ports and spec.get("clusterIP") != "None" and kind != "ExternalName":
        errors.append(required("spec.ports"))
    errors += label_errors(spec.get("selector") or {}, "spec.selector")
    errors += one_of(spec, "sessionAffinity", ("ClientIP", "None"), "spec")
    errors += _check_affinity(spec)
    errors += one_of(spec, "type", _TYPES, "spec")
    errors += _check_ports(ports)
    for index, address in enumerate(spec.get("externalIPs") or ()):
        errors += _check_ip(address, f"spec.externalIPs[{index}]")[:1]
    errors += one_of(spec, "externalTrafficPolicy", _POLICIES, "spec")
    errors += one_of(spec, "internalTrafficPolicy", _POLICIES, "spec")
    errors += one_of(spec, "ipFamilyPolicy", ("PreferDualStack", "RequireDualStack", "SingleStack"), "spec")
    if kind == "ExternalName":
        errors += _check_external_name(spec.get("externalName") or "")
    return errors + _check_address(spec, old)


def service_warnings(new: Raw) -> list[str]:
    """Warn about what a service says in vain."""
    spec = new.get("spec") or {}
    if spec.get("externalName") and spec.get("type") != "ExternalName":
        return ['spec.externalName is ignored when spec.type is not "ExternalName"']
    return []


def _check_families(spec: Raw) -> list[FieldError]:
    """Refuse what a cluster of one address family does not have; services without addresses may ask for it."""
    headless = spec.get("clusterIP") == "None" and not spec.get("selector")
    if spec.get("type") == "ExternalName" or headless:
        return []
    errors = []
    if spec.get("ipFamilyPolicy") == "RequireDualStack":
        text = "this cluster is not configured for dual-stack services"
        errors.append(invalid("spec.ipFamilyPolicy", "RequireDualStack", text))
    return errors + [
        invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")
        for index, family in enumerate(spec.get("ipFamilies") or ())
        if family != "IPv4"
    ]


def _check_affinity(spec: Raw) -> list[FieldError]:
    seconds = ((spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}).get("timeoutSeconds")
    if spec.get("sessionAffinity") != "ClientIP" or seconds is None or 0 < seconds <= _DAY:
        return []
    field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
    return [invalid(field, seconds, f"must be greater than 0 and less than {_DAY}")]


def _check_external_name(name: str) -> list[FieldError]:
    if not name:
        return [required("spec.externalName")]
    return [invalid("spec.externalName", name, text) for text in subdomain_problems(name.removesuffix("."))]


def _check_ports(ports: list[Raw]) -> list[FieldError]:
    errors = []
    for index, port in enumerate(ports):
        errors += _check_port(port, f"spec.ports[{index}]", named=len(ports) > 1)
    errors += repeated([port.get("name") or "" for port in ports], "spec.ports[{}].name")
    seen = set()
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("port"))
        if key in seen:
            errors.append(duplicate(f"spec.ports[{index}]", _shown_port(port)))
        seen.add(key)
    return errors


def _shown_port(port: Raw) -> Raw:
    """Show what makes a port the same as another one, in the inner form of the server."""
    return {
        "Name": "", "Protocol": port.get("protocol"), "AppProtocol": None, "Port": port.get("port"), "TargetPort": 0,
        "NodePort": 0,
    }  # fmt: skip


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
    name, number, target = port.get("name") or "", port.get("port") or 0, port.get("targetPort")
    errors = [required(f"{at}.name")] if named and not name else []
    errors += [invalid(f"{at}.name", name, text) for text in label_problems(name)] if name else []
    if not 0 < number < 65536:
        errors.append(invalid(f"{at}.port", number, _PORT_RANGE))
    errors += one_of(port, "protocol", ("SCTP", "TCP", "UDP"), at)
    if isinstance(target, int) and not 0 < target < 65536:
        errors.append(invalid(f"{at}.targetPort", target, _PORT_RANGE))
    if protocol := port.get("appProtocol"):
        errors += [invalid(f"{at}.appProtocol", protocol, text) for text in label_key_problems(protocol)]
    return errors


def _check_address(spec: Raw, old: Raw | None) -> list[FieldError]:
    """Check the address of a service, and hold it for as long as it has one."""
    before = (old or {}).get("spec") or {}
    held, wanted = before.get("clusterIP"), spec.get("clusterIP")
    if wanted and wanted != "None" and (errors := _check_ip(wanted, "spec.clusterIPs[0]")[:1]):
        return errors
    if not held or "ExternalName" in {spec.get("type"), before.get("type")} or wanted == held:
        return []
    return [invalid("spec.clusterIPs[0]", [wanted], "may not change once set")]

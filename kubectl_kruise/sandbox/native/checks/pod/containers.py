"""Checks on the containers of a pod spec."""

import re
from functools import lru_cache
from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
)
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.notation.syntax import label_problems
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import NOT_NEGATIVE, not_negative, one_of
from kubectl_kruise.sandbox.schema.metadata import repeated

_PORT_NAME_LIMIT: Final = 15
_PORT_RANGE: Final = "must be between 1 and 65535, inclusive"
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBE_NUMBERS: Final = (
    "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold",
)  # fmt: skip
_REFERENCES: Final = {
    "fieldRef": "fieldPath", "resourceFieldRef": "resource", "configMapKeyRef": "key", "secretKeyRef": "key",
    "fileKeyRef": "key",
}  # fmt: skip


def check_containers(spec: Raw, at: str, volumes: set[str]) -> list[FieldError]:
    """Check init containers and containers; names are unique over both. `volumes` are the names to mount."""
    errors: list[FieldError] = []
    names: set[str] = set()
    if not spec.get("containers"):
        errors.append(required(f"{at}.containers"))
    for group in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(group) or ()):
            here = f"{at}.{group}[{index}]"
            name = container.get("name") or ""
            errors += _check_container(container, here, volumes)
            if name and name in names:
                errors.append(duplicate(f"{here}.name", name))
            names.add(name)
            errors += _check_probes(container, here)
    return errors


def _check_container(container: Raw, at: str, volumes: set[str]) -> list[FieldError]:
    errors = check_name(container.get("name") or "", f"{at}.name")
    image = container.get("image") or ""
    if not image:
        errors.append(required(f"{at}.image"))
    elif image.strip() != image:
        errors.append(invalid(f"{at}.image", image, "must not have leading or trailing whitespace"))
    errors += one_of(container, "terminationMessagePolicy", ("File", "FallbackToLogsOnError"), at)
    errors += _check_ports(container.get("ports") or (), f"{at}.ports")
    for index, variable in enumerate(container.get("env") or ()):
        errors += _check_variable(variable, f"{at}.env[{index}]")
    errors += _check_mounts(container.get("volumeMounts") or (), f"{at}.volumeMounts", volumes)
    errors += one_of(container, "imagePullPolicy", ("Always", "IfNotPresent", "Never"), at)
    return errors + _check_resources(container.get("resources") or {}, f"{at}.resources")


def check_name(name: str, field: str) -> list[FieldError]:
    """Check a name that is a DNS label: of a container, a volume."""
    return [invalid(field, name, text) for text in label_problems(name)] if name else [required(field)]


def _check_ports(ports: Any, at: str) -> list[FieldError]:
    errors = []
    for index, port in enumerate(ports):
        number = port.get("containerPort") or 0
        if not number:
            errors.append(required(f"{at}[{index}].containerPort"))
        elif not 0 < number < 65536:
            errors.append(invalid(f"{at}[{index}].containerPort", number, _PORT_RANGE))
        host = port.get("hostPort") or 0
        if host and not 0 < host < 65536:
            errors.append(invalid(f"{at}[{index}].hostPort", host, _PORT_RANGE))
        errors += _check_port_name(port.get("name") or "", f"{at}[{index}].name")
        errors += one_of(port, "protocol", ("SCTP", "TCP", "UDP"), f"{at}[{index}]")
    return errors + repeated([port.get("name") or "" for port in ports], at + "[{}].name")


def _check_variable(variable: Raw, at: str) -> list[FieldError]:
    name, source = variable.get("name") or "", variable.get("valueFrom")
    errors = []
    if not name:
        errors.append(required(f"{at}.name"))
    elif "=" in name or not name.isprintable() or not name.isascii():
        text = (
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
            " (e.g. 'my-name',  or 'MY.NAME',  or 'MyName.1', regex used for validation is '^[ -<>-~]+$')"
        )
        errors.append(invalid(f"{at}.name", name, text))
    if source is None:
        return errors
    if variable.get("value"):
        errors.append(invalid(f"{at}.valueFrom", "", "may not be specified when `value` is not empty"))
    given = [key for key in _REFERENCES if source.get(key) is not None]
    if not given:
        errors.append(
            invalid(f"{at}.valueFrom", "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
                    " `secretKeyRef` or `fileKeyRef`")
        )  # fmt: skip
    elif len(given) > 1:
        errors.append(invalid(f"{at}.valueFrom", "", "may not have more than one field specified at a time"))
    unset = [f"{key}.{_REFERENCES[key]}" for key in given if not source[key].get(_REFERENCES[key])]
    return errors + [required(f"{at}.valueFrom.{name}") for name in unset]


def _check_mounts(mounts: Any, at: str, volumes: set[str]) -> list[FieldError]:
    errors = []
    paths: set[str] = set()
    for index, mount in enumerate(mounts):
        name, path = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            errors.append(required(f"{at}[{index}].name"))
        elif name not in volumes:
            errors.append(not_found(f"{at}[{index}].name", name))
        if not path:
            errors.append(required(f"{at}[{index}].mountPath"))
        elif path in paths:
            errors.append(invalid(f"{at}[{index}].mountPath", path, "must be unique"))
        paths.add(path)
    return errors


def _check_resources(resources: Raw, at: str) -> list[FieldError]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    errors = []
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            if _amount(amount) < 0:
                errors.append(invalid(f"{at}.{part}[{name}]", amount, NOT_NEGATIVE))
    for name, amount in requests.items():
        if name in limits and _amount(amount) > _amount(limits[name]):
            text = f"must be less than or equal to {name} limit of {limits[name]}"
            errors.append(invalid(f"{at}.requests", amount, text))
    return errors


@lru_cache(maxsize=4096)
def _amount(quantity: str) -> int:
    return parse_quantity(quantity).nanos


def _check_port_name(name: str, field: str) -> list[FieldError]:
    if not re.fullmatch(r"[-a-z0-9]*", name, re.ASCII):
        text = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
        return [invalid(field, name, text)]
    return (
        [invalid(field, name, "must be no more than 15 characters")] if len(name) > _PORT_NAME_LIMIT else []
    )


def _check_handler(handler: Raw, at: str) -> list[FieldError]:
    """Check that a probe or hook does one thing."""
    given = [name for name in _HANDLERS if handler.get(name) is not None]
    errors = [] if given else [required(at, "must specify a handler type")]
    if "exec" in given and not handler["exec"].get("command"):
        errors.append(required(f"{at}.exec.command"))
    errors += [forbidden(f"{at}.{name}", "may not specify more than 1 handler type") for name in given[1:]]
    for name in ("httpGet", "tcpSocket"):
        port = (handler.get(name) or {}).get("port")
        if isinstance(port, int) and not 0 < port < 65536:
            errors.append(invalid(f"{at}.{name}.port", port, _PORT_RANGE))
    return errors


def _check_probes(container: Raw, at: str) -> list[FieldError]:
    errors = []
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        errors += _check_handler(probe, f"{at}.{name}")
        errors += not_negative(probe, _PROBE_NUMBERS, f"{at}.{name}")
        if name != "readinessProbe" and probe.get("successThreshold", 1) != 1:
            errors.append(invalid(f"{at}.{name}.successThreshold", probe["successThreshold"], "must be 1"))
    for name in ("postStart", "preStop"):
        hook = (container.get("lifecycle") or {}).get(name)
        errors += [] if hook is None else _check_handler(hook, f"{at}.lifecycle.{name}")
    return errors

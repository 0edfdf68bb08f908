"""Checks on pod specs and pod templates."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, duplicate, forbidden, invalid, required
from kubectl_kruise.objects.notation.syntax import label_key_problems, label_value_problems
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.numbers import one_of
from kubectl_kruise.sandbox.native.checks.pod.containers import check_containers, check_name
from kubectl_kruise.sandbox.schema.metadata import annotation_errors, label_errors

RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_NEEDED: Final = {
    "persistentVolumeClaim": "claimName", "configMap": "name", "secret": "secretName", "hostPath": "path",
}  # fmt: skip
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LONGEST_DEADLINE: Final = 2**31 - 1


def check_template(template: Raw, at: str) -> list[FieldError]:
    return check_template_metadata(template, at) + check_pod_spec(template.get("spec") or {}, f"{at}.spec")


def check_template_metadata(template: Raw, at: str) -> list[FieldError]:
    meta = template.get("metadata") or {}
    errors = label_errors(meta.get("labels") or {}, f"{at}.labels")
    return errors + annotation_errors(meta.get("annotations") or {}, f"{at}.annotations")


def check_pod_spec(spec: Raw, at: str) -> list[FieldError]:
    errors, volumes = _check_volumes(spec, f"{at}.volumes")
    errors += check_containers(spec, at, volumes)
    errors += one_of(spec, "restartPolicy", RESTART_POLICIES, at)
    errors += one_of(spec, "dnsPolicy", ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"), at)
    for key, value in (spec.get("nodeSelector") or {}).items():
        errors += [invalid(f"{at}.nodeSelector", key, text) for text in label_key_problems(key)]
        errors += [invalid(f"{at}.nodeSelector", value, text) for text in label_value_problems(value)]
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        condition = gate.get("conditionType") or ""
        field = f"{at}.readinessGates[{index}].conditionType"
        errors += [invalid(field, condition, text) for text in label_key_problems(condition)]
    errors += _check_gates(spec, f"{at}.schedulingGates")
    if "." in (spec.get("hostname") or ""):
        errors.append(invalid(f"{at}.hostname", spec["hostname"], "must not contain dots"))
    elif spec.get("hostname"):
        errors += check_name(spec["hostname"], f"{at}.hostname")
    if spec.get("dnsPolicy") == "None" and spec.get("dnsConfig") is None:
        errors.append(required(f"{at}.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None"))
    if spec.get("hostNetwork"):
        errors += _check_host_ports(spec, at)
    for index, toleration in enumerate(spec.get("tolerations") or ()):
        errors += _check_toleration(toleration, f"{at}.tolerations[{index}]")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 0 < deadline <= _LONGEST_DEADLINE:
        text = f"must be between 1 and {_LONGEST_DEADLINE}, inclusive"
        errors.append(invalid(f"{at}.activeDeadlineSeconds", deadline, text))
    return errors


def _check_volumes(spec: Raw, at: str) -> tuple[list[FieldError], set[str]]:
    """Check volumes; gives the names of the good ones too, since only those can be mounted."""
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        name, here = volume.get("name") or "", f"{at}[{index}]"
        sources = sorted((key for key in volume if key != "name"), key=lambda key: (key != "emptyDir", key))
        text = "may not specify more than 1 volume type"
        found = [forbidden(f"{here}.{source}", text) for source in sources[1:]]
        found += [
            required(f"{here}.{source}.{needed}")
            for source, needed in _NEEDED.items()
            if source in volume and not volume[source].get(needed)
        ]
        found += check_name(name, f"{here}.name")
        if name in names:
            found.append(duplicate(f"{here}.name", name))
        if not found:
            names.add(name)
        errors += found
    return errors, names


def _check_host_ports(spec: Raw, at: str) -> list[FieldError]:
    text = "must match `containerPort` when `hostNetwork` is true"
    return [
        invalid(f"{at}.{group}[{number}].ports[{index}].hostPort", port["hostPort"], text)
        for group in ("containers", "initContainers")
        for number, container in enumerate(spec.get(group) or ())
        for index, port in enumerate(container.get("ports") or ())
        if port.get("hostPort") and port["hostPort"] != port.get("containerPort")
    ]


def _check_gates(spec: Raw, at: str) -> list[FieldError]:
    errors = []
    seen: set[str] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        name = gate.get("name") or ""
        errors += [invalid(f"{at}[{index}]", name, text) for text in label_key_problems(name)]
        if name in seen:
            errors.append(duplicate(f"{at}[{index}]", name))
        seen.add(name)
    return errors


def _check_toleration(toleration: Raw, at: str) -> list[FieldError]:
    key, operator, errors = toleration.get("key") or "", toleration.get("operator") or "Equal", []
    if key:
        errors += [invalid(f"{at}.key", key, text) for text in label_key_problems(key)]
    elif operator != "Exists":
        text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        errors.append(invalid(f"{at}.operator", toleration.get("operator") or "", text))
    if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        errors.append(invalid(f"{at}.effect", toleration.get("effect") or "", text))
    if operator == "Exists" and toleration.get("value"):
        errors.append(
            invalid(f"{at}.operator", toleration, "value must be empty when `operator` is 'Exists'")
        )
    errors += one_of({"operator": operator}, "operator", ("Equal", "Exists"), at)
    return errors + one_of(toleration, "effect", _EFFECTS, at)

"""Checks on pods: what may be created, and the little that may change afterwards."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import FieldError, forbidden, invalid
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.pod.spec import check_pod_spec, check_template

_CHANGES: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_GROUPS: Final = ("containers", "initContainers")


def check_pod(new: Raw, old: Raw | None) -> list[FieldError]:
    errors = check_pod_spec(new.get("spec") or {}, "spec")
    return errors if old is None else errors + _check_change(new.get("spec") or {}, old.get("spec") or {})


def check_pod_template(new: Raw, _: Raw | None) -> list[FieldError]:
    return check_template(new.get("template") or {}, "template")


def _check_change(new: Raw, old: Raw) -> list[FieldError]:
    for group in _GROUPS:
        if len(new.get(group) or ()) != len(old.get(group) or ()):
            return [forbidden(f"spec.{group}", "pod updates may not add or remove containers")]
    errors = []
    deadline, before = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if before is not None and deadline is None:
        errors.append(
            invalid(
                "spec.activeDeadlineSeconds", None, "must not update from a positive integer to nil value"
            )
        )
    elif before is not None and deadline is not None and deadline > before:
        text = "must be less than or equal to previous value"
        errors.append(invalid("spec.activeDeadlineSeconds", deadline, text))
    held = {gate.get("name") for gate in old.get("schedulingGates") or ()}
    errors += [
        forbidden(
            f"spec.schedulingGates[{index}]",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'",
        )
        for index, gate in enumerate(new.get("schedulingGates") or ())
        if gate.get("name") not in held
    ]
    kept = old.get("tolerations") or []
    if any(toleration not in (new.get("tolerations") or []) for toleration in kept):
        text = "existing toleration can not be modified except its tolerationSeconds"
        errors.append(forbidden("spec.tolerations", text))
    if _fixed(new, old) != _fixed(old, old):
        errors.append(forbidden("spec", _CHANGES))
    return errors


def _fixed(spec: Raw, old: Raw) -> Raw:
    """Leave out of a pod spec what an update may change, given what it was."""
    free = {"activeDeadlineSeconds", "tolerations", "schedulingGates", *_GROUPS}
    if (old.get("terminationGracePeriodSeconds") or 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        free.add("terminationGracePeriodSeconds")
    fixed: dict[str, Any] = {key: value for key, value in spec.items() if key not in free}
    for group in _GROUPS:
        fixed[group] = [{**container, "image": ""} for container in spec.get(group) or ()]
    if (old.get("terminationGracePeriodSeconds") or 0) < 0 and "terminationGracePeriodSeconds" in free:
        fixed["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    return fixed

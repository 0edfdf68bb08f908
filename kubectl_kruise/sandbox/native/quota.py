"""What may stand in a ResourceQuota."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid
from kubectl_kruise.objects.notation.quantity import parse_quantity
from kubectl_kruise.objects.notation.syntax import label_key_problems
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.resources import ONE

_COUNTS: Final = frozenset({
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
    "services.nodeports", "services.loadbalancers",
})  # fmt: skip
_COMPUTE: Final = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "requests.", "limits.")
    for name in ("cpu", "memory", "ephemeral-storage")
)
_STORAGE: Final = frozenset(name for name in _COMPUTE if name.endswith("ephemeral-storage"))
_QUOTA: Final = _COUNTS | _COMPUTE | {"requests.storage"}
_SCOPES: Final = (
    "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "VolumeAttributesClass",
)  # fmt: skip
_PAIRS: Final = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})


def check_quota(new: Raw, old: Raw | None) -> list[FieldError]:
    """Check the limits and scopes of a quota; its scopes stay as they are."""
    spec = new.get("spec") or {}
    errors: list[FieldError] = []
    for name, amount in sorted((spec.get("hard") or {}).items()):
        errors += _check_limit(name, str(amount))
    errors += _check_scopes(spec)
    before = (old or {}).get("spec") or {}
    if old is not None and set(before.get("scopes") or ()) != set(spec.get("scopes") or ()):
        errors.append(invalid("spec.scopes", spec.get("scopes"), "field is immutable"))
    return errors


def _check_limit(name: str, amount: str) -> list[FieldError]:
    at = f"spec.hard[{name}]"
    errors = [invalid(at, name, problem) for problem in label_key_problems(name)]
    if "/" not in name and not _standard(name):
        if name != "storage" and not errors:
            errors.append(invalid(at, name, "must be a standard resource type or fully qualified"))
        errors.append(invalid(at, name, "must be a standard resource for quota"))
    nanos = parse_quantity(amount).nanos
    if nanos < 0:
        errors.append(invalid(at, amount, "must be greater than or equal to 0"))
    if name in _COUNTS and nanos % ONE.nanos:
        errors.append(invalid(at, amount, "must be an integer"))
    return errors


def _standard(name: str) -> bool:
    return name in _QUOTA or name.removeprefix("requests.").startswith("hugepages-")


def _check_scopes(spec: Raw) -> list[FieldError]:
    scopes: list[str] = spec.get("scopes") or []
    names = [name for name in spec.get("hard") or {} if _standard(name)]
    errors = []
    for scope in scopes:
        if scope not in _SCOPES:
            errors.append(invalid("spec.scopes", scopes, "unsupported scope"))
        unfit = invalid("spec.scopes", scopes, "unsupported scope applied to resource")
        errors += [unfit for name in names if not _fits(scope, name)]
    errors += [invalid("spec.scopes", scopes, "conflicting scopes") for pair in _PAIRS if pair <= set(scopes)]
    return errors


def _fits(scope: str, name: str) -> bool:
    match scope:
        case "BestEffort":
            return name == "pods"
        case "VolumeAttributesClass":
            return name in {"persistentvolumeclaims", "requests.storage"}
        case _:
            return name == "pods" or name in _COMPUTE - _STORAGE

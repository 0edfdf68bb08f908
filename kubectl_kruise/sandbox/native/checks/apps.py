"""Checks on the native workloads."""

from typing import Final

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubectl_kruise.objects.notation.selector_errors import expression_errors
from kubectl_kruise.objects.raw import Raw, labels_of, name_of
from kubectl_kruise.objects.selector import Selector, selector_of
from kubectl_kruise.sandbox.native.checks.numbers import (
    at_most_all,
    is_zero,
    not_negative,
    one_of,
    share,
    unchanged,
)
from kubectl_kruise.sandbox.native.checks.pod.spec import RESTART_POLICIES, check_template
from kubectl_kruise.sandbox.schema.metadata import label_errors

_SET_CHANGES: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy',"
    " 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_SET_FREE: Final = frozenset({
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
})  # fmt: skip


def check_deployment(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = not_negative(spec, ("replicas",), "spec")
    errors += _check_selected(spec, "deployment")
    errors += _check_strategy(spec.get("strategy") or {})
    errors += not_negative(
        spec, ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"), "spec"
    )
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        errors.append(
            invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
        )
    return errors + _check_fixed_selector(spec, old)


def check_replica_set(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = not_negative(spec, ("replicas", "minReadySeconds"), "spec")
    return errors + _check_selected(spec, "deployment") + _check_fixed_selector(spec, old)


def check_daemon_set(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = _check_selected(spec, "daemonset", kind="DaemonSet")
    errors += not_negative(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    return errors + _check_fixed_selector(spec, old)


def check_stateful_set(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = one_of(spec, "podManagementPolicy", ("OrderedReady", "Parallel"), "spec")
    errors += _check_set_strategy(spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        errors += one_of(retention, name, ("Retain", "Delete"), "spec.persistentVolumeClaimRetentionPolicy")
    errors += not_negative(spec, ("replicas", "minReadySeconds", "revisionHistoryLimit"), "spec")
    errors += _check_selected({**spec, "template": _with_claims(spec)}, "statefulset", kind="StatefulSet")
    before = (old or {}).get("spec")
    if before is not None and _held(spec) != _held(before):
        errors.append(forbidden("spec", _SET_CHANGES))
    return errors


def check_controller_revision(new: Raw, old: Raw | None) -> list[FieldError]:
    errors = [] if new.get("data") is not None else [required("data", "data is mandatory")]
    if (new.get("revision") or 0) < 0:
        errors.append(invalid("revision", new["revision"], "must be greater than or equal to 0"))
    return errors + (unchanged(new, old, "data", "") if old is not None else [])


def check_selector(selector: Raw, at: str) -> list[FieldError]:
    """Check a label selector."""
    errors = label_errors(selector.get("matchLabels") or {}, f"{at}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        errors += expression_errors(expression, f"{at}.matchExpressions[{index}]")
    return errors


def _check_selected(spec: Raw, word: str, *, kind: str = "ReplicaSet") -> list[FieldError]:
    """Check selector and template, and that they belong together."""
    selector, errors = spec.get("selector"), []
    if selector is None:
        errors.append(required("spec.selector"))
    else:
        errors += check_selector(selector, "spec.selector")
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            errors.append(invalid("spec.selector", selector, f"empty selector is invalid for {word}"))
    try:
        wanted = selector_of(selector)
    except ValueError:
        return [*errors, invalid("spec.selector", selector, "invalid label selector")]
    return errors + _check_workload_template(spec.get("template") or {}, wanted, kind)


def _with_claims(spec: Raw) -> Raw:
    """Give the template with a volume for each claim, since containers may mount those."""
    template = spec.get("template") or {}
    pod, claims = (
        template.get("spec") or {},
        [name_of(claim) for claim in spec.get("volumeClaimTemplates") or ()],
    )
    volumes = [volume for volume in pod.get("volumes") or () if volume.get("name") not in claims]
    volumes += [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return {**template, "spec": {**pod, "volumes": volumes}}


def _check_workload_template(template: Raw, wanted: Selector, kind: str) -> list[FieldError]:
    at, errors = "spec.template", []
    labels = labels_of(template)
    if not wanted.empty and not wanted.matches(labels):
        text = "`selector` does not match template `labels`"
        errors.append(invalid(f"{at}.metadata.labels", labels or None, text))
    errors += check_template(template, at)
    spec = template.get("spec") or {}
    if spec.get("restartPolicy") in RESTART_POLICIES[1:]:
        errors.append(not_supported(f"{at}.spec.restartPolicy", spec["restartPolicy"], RESTART_POLICIES[:1]))
    if spec.get("activeDeadlineSeconds") is not None:
        text = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(f"{at}.spec.activeDeadlineSeconds", text))
    return errors


def _check_strategy(strategy: Raw) -> list[FieldError]:
    kind, rolling, at = strategy.get("type"), strategy.get("rollingUpdate"), "spec.strategy.rollingUpdate"
    if kind == "Recreate":
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [forbidden(at, text)] if rolling is not None else []
    if kind != "RollingUpdate":
        return [not_supported("spec.strategy", strategy, ("Recreate", "RollingUpdate"))]
    if rolling is None:
        return [required(at, "this should be defaulted and never be nil")]
    down, up = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors = share(down, f"{at}.maxUnavailable") + share(up, f"{at}.maxSurge")
    if is_zero(down) and is_zero(up):
        errors.append(invalid(f"{at}.maxUnavailable", down, "may not be 0 when `maxSurge` is 0"))
    return errors + at_most_all(down, f"{at}.maxUnavailable")


def _check_set_strategy(strategy: Raw) -> list[FieldError]:
    kind, rolling, at = strategy.get("type"), strategy.get("rollingUpdate"), "spec.updateStrategy"
    if kind == "RollingUpdate":
        rolling = rolling or {}
        errors = not_negative(rolling, ("partition",), f"{at}.rollingUpdate")
        return errors + share(rolling.get("maxUnavailable"), f"{at}.rollingUpdate.maxUnavailable")
    if kind != "OnDelete":
        shown = {"Type": kind, "RollingUpdate": rolling}
        return [invalid(at, shown, "must be 'RollingUpdate' or 'OnDelete'")]
    if rolling is None:
        return []
    shown = {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}
    return [invalid(f"{at}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")]


def _check_fixed_selector(spec: Raw, old: Raw | None) -> list[FieldError]:
    return [] if old is None else unchanged(spec, old.get("spec") or {}, "selector", "spec")


def _held(spec: Raw) -> Raw:
    return {key: value for key, value in spec.items() if key not in _SET_FREE}

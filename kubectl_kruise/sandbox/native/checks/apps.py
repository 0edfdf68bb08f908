"""Checks on the native workloads."""

from kubectl_kruise.objects.notation.field_errors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from kubectl_kruise.objects.notation.selector_errors import expression_errors
from kubectl_kruise.objects.raw import Raw, labels_of
from kubectl_kruise.objects.selector import Selector, selector_of
from kubectl_kruise.sandbox.native.checks.numbers import (
    at_most_all,
    is_zero,
    not_negative,
    share,
    unchanged,
)
from kubectl_kruise.sandbox.native.checks.pod.spec import RESTART_POLICIES, check_template
from kubectl_kruise.sandbox.schema.metadata import label_errors


def check_deployment(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = not_negative(spec, ("replicas",), "spec")
    errors += check_selected(spec, "deployment")
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
    return errors + check_selected(spec, "deployment") + _check_fixed_selector(spec, old)


def check_daemon_set(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = check_selected(spec, "daemonset", kind="DaemonSet")
    errors += not_negative(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    return errors + _check_fixed_selector(spec, old)


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


def check_selected(
    spec: Raw, word: str, *, kind: str = "ReplicaSet", unreadable: str = "invalid label selector"
) -> list[FieldError]:
    """Check selector and template, and that they belong together; `unreadable` is what is said of a wrong selector."""
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
        return [*errors, invalid("spec.selector", selector, unreadable)]
    return errors + _check_workload_template(spec.get("template") or {}, wanted, kind)


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


def _check_fixed_selector(spec: Raw, old: Raw | None) -> list[FieldError]:
    return [] if old is None else unchanged(spec, old.get("spec") or {}, "selector", "spec")

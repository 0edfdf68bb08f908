"""Checks on jobs and cron jobs."""

from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kubectl_kruise.objects.notation.field_errors import FieldError, invalid, not_supported, required
from kubectl_kruise.objects.raw import Raw, labels_of, name_of
from kubectl_kruise.objects.selector import selector_of
from kubectl_kruise.sandbox.native.batch_defaults import UID_LABEL, generated_labels
from kubectl_kruise.sandbox.native.checks.apps import check_selector
from kubectl_kruise.sandbox.native.checks.dumps import dumped_pod_spec, dumped_template
from kubectl_kruise.sandbox.native.checks.numbers import IMMUTABLE, not_negative, one_of
from kubectl_kruise.sandbox.native.checks.pod.spec import check_template
from kubectl_kruise.sandbox.native.checks.schedule import schedule_problem

_COUNTS: Final = (
    "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
    "backoffLimitPerIndex", "maxFailedIndexes",
)  # fmt: skip
_ENDING: Final = ("OnFailure", "Never")
_FIXED: Final = (
    "completions", "selector", "template", "completionMode", "podFailurePolicy", "backoffLimitPerIndex",
    "managedBy", "successPolicy",
)  # fmt: skip
_LONGEST_CRON_NAME: Final = 52
_OPEN_WHILE_SUSPENDED: Final = ("nodeSelector", "tolerations", "affinity", "schedulingGates")


def check_job(new: Raw, old: Raw | None) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = [] if spec.get("manualSelector") else _check_generated(new, spec)
    errors += _check_job_spec(spec, "spec")
    errors += _check_selected(spec)
    before = (old or {}).get("spec")
    return errors + (_check_change(spec, before, (old or {}).get("status") or {}) if before else [])


def check_cron_job(new: Raw, old: Raw | None) -> list[FieldError]:
    spec, errors = new.get("spec") or {}, _check_schedule(new.get("spec") or {})
    errors += not_negative(spec, ("startingDeadlineSeconds",), "spec")
    errors += one_of(spec, "concurrencyPolicy", ("Allow", "Forbid", "Replace"), "spec")
    errors += _check_time_zone(spec.get("timeZone"))
    errors += not_negative(spec, ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"), "spec")
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    errors += _check_job_spec(job, "spec.jobTemplate.spec")
    if job.get("manualSelector"):
        errors.append(not_supported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false")))
    name = name_of(new)
    if old is None and len(name) > _LONGEST_CRON_NAME:
        text = f"must be no more than {_LONGEST_CRON_NAME} characters"
        errors.insert(0, invalid("metadata.name", name, text))
    return errors


def _check_generated(job: Raw, spec: Raw) -> list[FieldError]:
    """Check that a job's selector is the one made for it, and that its template has the labels."""
    labels = generated_labels(job.get("metadata") or {})
    selector, errors = spec.get("selector") or {}, []
    if selector != {"matchLabels": {UID_LABEL: labels[UID_LABEL]}}:
        errors.append(invalid("spec.selector", selector or None, "`selector` not auto-generated"))
    held = labels_of(spec.get("template") or {})
    for key in ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"):
        if held.get(key) != labels[key]:
            field = "spec.template.metadata.labels"
            errors.append(
                invalid(field, held or None, f"must be '{labels[key]}'")
                if key in held
                else required(field, f"must be '{labels[key]}'")
            )
    return errors


def _check_selected(spec: Raw) -> list[FieldError]:
    selector, labels = spec.get("selector"), labels_of(spec.get("template") or {})
    errors = [required("spec.selector")] if selector is None else check_selector(selector, "spec.selector")
    try:
        fits = selector is not None and selector_of(selector).matches(labels)
    except ValueError:
        fits = True  # told above
    if not fits:
        text = "`selector` does not match template `labels`"
        errors.append(invalid("spec.template.metadata.labels", labels or None, text))
    return errors


def _check_job_spec(spec: Raw, at: str) -> list[FieldError]:
    errors = not_negative(spec, _COUNTS, at)
    errors += one_of(spec, "completionMode", ("NonIndexed", "Indexed"), at)
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        errors.append(required(f"{at}.completions", "when completion mode is Indexed"))
    known = ("Failed",) if spec.get("podFailurePolicy") else ("Failed", "TerminatingOrFailed")
    errors += one_of(spec, "podReplacementPolicy", known, at)
    template = spec.get("template") or {}
    errors += check_template(template, f"{at}.template")
    policy, field = (template.get("spec") or {}).get("restartPolicy"), f"{at}.template.spec.restartPolicy"
    if policy in {None, "", "Always"}:
        errors.append(required(field, 'valid values: "OnFailure", "Never"'))
    elif policy not in _ENDING:
        errors.append(not_supported(field, policy, _ENDING))
    elif spec.get("podFailurePolicy") and policy != "Never":
        text = 'only "Never" is supported when podFailurePolicy is specified'
        errors.append(invalid(field, policy, text))
    return errors


def _check_change(spec: Raw, old: Raw, status: Raw) -> list[FieldError]:
    """Hold what a running job was started with."""
    errors = []
    for name in _FIXED:
        value, held = spec.get(name), old.get(name)
        if name == "template":
            errors += _check_template_change(value or {}, held or {}, started=_started(old, status))
        elif value != held and not (name == "completions" and _elastic(spec, old)):
            errors.append(invalid(f"spec.{name}", value, IMMUTABLE))
    return errors


def _started(spec: Raw, status: Raw) -> bool:
    return not spec.get("suspend") or bool(status.get("startTime"))


def _check_template_change(new: Raw, old: Raw, *, started: bool) -> list[FieldError]:
    if started:
        return [] if new == old else [invalid("spec.template", dumped_template(new), IMMUTABLE)]
    if _without_placement(new) == _without_placement(old):
        return []
    return [invalid("spec.template.spec", dumped_pod_spec(new.get("spec") or {}), IMMUTABLE)]


def _elastic(spec: Raw, old: Raw) -> bool:
    """Tell whether an indexed job changes its size with its parallelism, which it may."""
    return spec.get("completionMode") == "Indexed" and all(
        found.get("completions") is not None and found.get("completions") == found.get("parallelism")
        for found in (spec, old)
    )


def _without_placement(template: Raw) -> Raw:
    """Leave out of a pod template what may change while its job has not started."""
    pod = template.get("spec") or {}
    return {key: value for key, value in pod.items() if key not in _OPEN_WHILE_SUSPENDED}


def _check_schedule(spec: Raw) -> list[FieldError]:
    schedule = spec.get("schedule") or ""
    if not schedule:
        return [required("spec.schedule")]
    if "TZ" in schedule:
        text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        return [invalid("spec.schedule", schedule, text)]
    problem = schedule_problem(schedule)
    return [invalid("spec.schedule", schedule, problem)] if problem else []


def _check_time_zone(zone: Any) -> list[FieldError]:
    if zone is None:
        return []
    if not zone:
        return [invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string")]
    if zone.lower() == "local":
        return [
            invalid(
                "spec.timeZone",
                zone,
                "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
            )
        ]
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        return [invalid("spec.timeZone", zone, f"unknown time zone {zone}")]
    return []

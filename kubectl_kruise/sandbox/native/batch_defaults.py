"""Defaults of jobs and cron jobs, and the selector that a new job gets (sandbox-apiserver.md N1)."""

from typing import Final

from kubectl_kruise.objects.raw import Raw, labels_of
from kubectl_kruise.sandbox.native.pod_defaults import fill_native_pod_spec

PREFIX: Final = "batch.kubernetes.io/"
UID_LABEL: Final = f"{PREFIX}controller-uid"
_NO_LIMIT: Final = 2**31 - 1


def generated_labels(meta: Raw) -> dict[str, str]:
    """Give the labels by which a job knows its pods: with the prefix of the group, and in the old form."""
    own = {"controller-uid": meta.get("uid") or "", "job-name": meta.get("name") or ""}
    return {PREFIX + key: value for key, value in own.items()} | own


def open_job(job: Raw) -> None:
    """Give a new job the selector and the labels that its pods are found by, unless it brings its own."""
    spec = job.setdefault("spec", {})
    if spec.get("manualSelector"):
        return
    labels = generated_labels(job.get("metadata") or {})
    spec["manualSelector"] = False
    meta = spec.setdefault("template", {}).setdefault("metadata", {})
    meta["labels"] = {**(meta.get("labels") or {}), **labels}
    selector = dict(spec.get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), UID_LABEL: labels[UID_LABEL]}
    spec["selector"] = selector


def fill_job(job: Raw) -> None:
    spec = job.setdefault("spec", {})
    template = spec.setdefault("template", {})
    fill_native_pod_spec(template.setdefault("spec", {}))
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    policy = spec.get("podFailurePolicy")
    values = {
        "parallelism": 1,
        "backoffLimit": 6 if spec.get("backoffLimitPerIndex") is None else _NO_LIMIT,
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": "TerminatingOrFailed" if policy is None else "Failed",
    }
    for name, value in values.items():
        spec.setdefault(name, value)
    for rule in (policy or {}).get("rules") or ():
        for condition in rule.get("onPodConditions") or ():
            condition["status"] = condition.get("status") or "True"
    meta = job.setdefault("metadata", {})
    if labels := labels_of(template):
        meta["labels"] = meta.get("labels") or dict(labels)


def fill_cron_job(cron: Raw) -> None:
    """Fill a cron job; of its jobs only the pods."""
    spec = cron.setdefault("spec", {})
    values = {
        "concurrencyPolicy": "Allow", "suspend": False, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1,
    }  # fmt: skip
    for name, value in values.items():
        spec.setdefault(name, value)
    job = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
    fill_native_pod_spec(job.setdefault("template", {}).setdefault("spec", {}))

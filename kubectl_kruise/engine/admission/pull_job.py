"""Defaults and validation of ImagePullJobs as Kruise's webhooks have them (small-kinds.md §6.1)."""

import re
from typing import Any, Final

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.raw import Raw

GATE: Final = "ImagePullJobGate"
DEFAULT_TIMEOUT: Final = 600
DEFAULT_BACKOFF: Final = 3
ALWAYS: Final = "Always"
NEVER: Final = "Never"


def default_pull_job(job: Raw) -> Raw:
    """Fill in what is missing; gives `job` itself where nothing is."""
    spec: Raw = job.get("spec") or {}
    completion: Raw = spec.get("completionPolicy") or {}
    pulling: Raw = spec.get("pullPolicy") or {}
    filled = {
        **spec,
        "completionPolicy": {**completion, "type": completion.get("type") or ALWAYS},
        "pullPolicy": {
            **pulling,
            "timeoutSeconds": _given(pulling.get("timeoutSeconds"), DEFAULT_TIMEOUT),
            "backoffLimit": _given(pulling.get("backoffLimit"), DEFAULT_BACKOFF),
        },
        "imagePullPolicy": spec.get("imagePullPolicy") or "IfNotPresent",
    }
    return job if filled == spec else {**job, "spec": filled}


def why_job_refused(job: Raw, gates: Gates) -> tuple[int, str]:
    """Give HTTP code and text of the refusal of a job with its defaults; (0, "") where it may be."""
    if not gates.image_pull_jobs:
        return 403, f"feature-gate {GATE} is not enabled"
    spec: Raw = job["spec"]
    if not spec.get("image"):
        return 400, "image can not be empty"
    problem = _selector_problem(spec) or _parallelism_problem(spec.get("parallelism")) or _end_problem(spec)
    return (400, problem) if problem else (0, "")


def _selector_problem(spec: Raw) -> str:
    nodes: Raw | None = spec.get("selector")
    of_nodes = nodes or {}
    names: list[str] = of_nodes.get("names") or []
    if len(set(names)) < len(names):
        return "duplicated name in selector names"
    if names and (of_nodes.get("matchLabels") or of_nodes.get("matchExpressions")):
        return "can not set both names and labelSelector in this spec.selector"
    if nodes is not None and spec.get("podSelector") is not None:
        return "can not set both selector and podSelector"
    return ""


def _parallelism_problem(value: Any) -> str:
    if value is None:
        return ""
    text = str(value)
    if text.endswith("%"):
        return "parallelism does not support percentage value"
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII):
        return f'parallelism must be a valid integer: strconv.ParseInt: parsing "{text}": invalid syntax'
    return "parallelism must be non-negative" if int(text) < 0 else ""


def _end_problem(spec: Raw) -> str:
    policy: Raw = spec["completionPolicy"]
    deadline, kept = policy.get("activeDeadlineSeconds"), policy.get("ttlSecondsAfterFinished")
    if policy["type"] == ALWAYS:
        timeout = spec["pullPolicy"]["timeoutSeconds"]
        short = deadline is not None and deadline < timeout
        text = "completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)"
        return text if short else ""
    if policy["type"] == NEVER:
        text = (
            "activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType"
        )
        return text if deadline is not None or kept is not None else ""
    return f"unknown type of completionPolicy: {policy['type']}"


def _given(value: Any, default: int) -> Any:
    return default if value is None else value

"""Defaults and validation of ImagePullJobs as Kruise's webhooks have them (small-kinds.md §6.1)."""

import re
from typing import Any, Final

from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.selector import selector_of

GATE: Final = "ImagePullJobGate"
DEFAULT_TIMEOUT: Final = 600
DEFAULT_BACKOFF: Final = 3
ALWAYS: Final = "Always"
NEVER: Final = "Never"
_COMPONENT: Final = r"[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REFERENCE: Final = (
    rf"(?:(?:localhost|(?=[^/]*[.:]){_HOST}(?:[.]{_HOST})*)(?::[0-9]+)?/)?{_COMPONENT}(?:/{_COMPONENT})*"
    r"(?::[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(?:@[a-zA-Z][a-zA-Z0-9]*(?:[-_+.][a-zA-Z][a-zA-Z0-9]*)*:[0-9a-fA-F]{32,})?"
)
"""The grammar of image references: host, path, tag, digest. A first part without dot and port is no host."""


def default_pull_job(job: Raw) -> Raw:
    """Fill in what is missing; gives `job` itself where nothing is."""
    spec: Raw = job.get("spec") or {}
    completion: Raw = spec.get("completionPolicy") or {}
    pulling: Raw = spec.get("pullPolicy") or {}
    filled = {
        **spec,
        "image": spec.get("image") or "",
        "completionPolicy": {**completion, "type": completion.get("type") or ALWAYS},
        "pullPolicy": {
            **pulling,
            "timeoutSeconds": _given(pulling.get("timeoutSeconds"), DEFAULT_TIMEOUT),
            "backoffLimit": _given(pulling.get("backoffLimit"), DEFAULT_BACKOFF),
        },
        "imagePullPolicy": spec.get("imagePullPolicy") or "IfNotPresent",
    }
    if not (spec.get("selector") or {}).get("names", True):
        filled["selector"] = {key: value for key, value in spec["selector"].items() if key != "names"}
    return job if filled == spec else {**job, "spec": filled}


def why_job_refused(job: Raw, gates: Gates) -> tuple[int, str]:
    """Give HTTP code and text of the refusal of a job with its defaults; (0, "") where it may be."""
    if not gates.image_pull_jobs:
        return 403, f"feature-gate {GATE} is not enabled"
    spec: Raw = job["spec"]
    if not spec.get("image"):
        return 400, "image can not be empty"
    if problem := _image_problem(spec["image"]):
        return 400, f"invalid image {spec['image']}: {problem}"
    problem = _selector_problem(spec) or _parallelism_problem(spec.get("parallelism")) or _end_problem(spec)
    return (400, problem) if problem else (0, "")


def _image_problem(image: str) -> str:
    if re.fullmatch(_REFERENCE, image, re.ASCII):
        return ""
    lower = re.fullmatch(_REFERENCE, image.lower(), re.ASCII)
    return "invalid reference format" + (": repository name must be lowercase" if lower else "")


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
    for selector in (nodes, spec.get("podSelector")):
        try:
            selector_of({key: value for key, value in (selector or {}).items() if key != "names"})
        except ValueError as error:
            return f"invalid selector: {error}"
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

"""A Deployment from a file, read as the API server would have stored it (migration.md §3.6)."""

import copy
from typing import Final

from kubectl_kruise.convert.selection import check_selector, refused
from kubectl_kruise.engine.admission.pod_defaults import pull_policy
from kubectl_kruise.objects.raw import Raw, dig, name_of

_SHARE: Final = "25%"
_NUMBERS: Final = {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}


def fill_deployment(source: Raw) -> Raw:
    """Give a copy with the defaults that a CloneSet would choose otherwise; the rest may stay unsaid.

    Raises RefusedError, naming the field, for what no server would have stored.
    """
    made = copy.deepcopy(source)
    spec: Raw = made.get("spec") or {}
    made["spec"] = spec
    _check(made)
    for key, value in _NUMBERS.items():
        if spec.get(key) is None:
            spec[key] = value
    strategy = spec["strategy"] = spec.get("strategy") or {}
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy["rollingUpdate"] = strategy.get("rollingUpdate") or {}
        for key in ("maxSurge", "maxUnavailable"):
            if rolling.get(key) is None:
                rolling[key] = _SHARE
    template = spec["template"]["spec"]
    for container in (*template["containers"], *(template.get("initContainers") or [])):
        container.setdefault("imagePullPolicy", pull_policy(str(container.get("image") or "")))
    if spec["progressDeadlineSeconds"] <= (spec.get("minReadySeconds") or 0):
        raise refused(
            made,
            f"spec.progressDeadlineSeconds ({spec['progressDeadlineSeconds']}) must be greater than"
            f" spec.minReadySeconds ({spec['minReadySeconds']})",
        )
    return made


def _check(source: Raw) -> None:
    if not name_of(source):
        raise refused(source, "metadata.name is missing")
    check_selector(source)
    if not dig(source, ("spec", "template", "spec", "containers")):
        raise refused(source, "spec.template.spec.containers is missing")

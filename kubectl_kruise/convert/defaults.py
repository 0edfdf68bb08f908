"""Workloads from a file, read as the API server would have stored them (migration.md §3.6)."""

import copy
from collections.abc import Iterator
from typing import Any, Final

from kubectl_kruise.convert.report import Fate
from kubectl_kruise.convert.selection import check_selector, refused
from kubectl_kruise.engine.admission.pod_defaults import pull_policy
from kubectl_kruise.objects.notation.number import UNLIMITED
from kubectl_kruise.objects.raw import Raw, dig, labels_of, name_of
from kubectl_kruise.objects.retention import retention_of

_SHARE: Final = "25%"
_NUMBERS: Final[dict[str, Any]] = {
    "replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "pace": _SHARE,
}  # fmt: skip
_OF_OLD: Final[dict[str, dict[str, Any]]] = {
    "extensions/v1beta1": {
        "revisionHistoryLimit": UNLIMITED,
        "progressDeadlineSeconds": UNLIMITED,
        "pace": 1,
    },
    "apps/v1beta1": {"revisionHistoryLimit": 2},
    "apps/v1beta2": {},
}
"""What the versions of Deployments that servers no longer know left unsaid otherwise than apps/v1."""
_WITHOUT_SELECTOR: Final = ("extensions/v1beta1", "apps/v1beta1")
"""Versions in which the labels of the template were the selector where none was given."""


def fill_deployment(source: Raw) -> Raw:
    """Give a copy with the defaults that a CloneSet would choose otherwise; the rest may stay unsaid.

    Raises RefusedError, naming the field, for what no server would have stored.
    """
    made = copy.deepcopy(source)
    version = str(made.get("apiVersion"))
    spec = _spec_of(made)
    defaults = {**_NUMBERS, **_OF_OLD.get(version, {})}
    if version in _WITHOUT_SELECTOR and not spec.get("selector"):
        spec["selector"] = {"matchLabels": labels_of(dig(spec, ("template",), {}))}
    _check(made)
    for key in ("replicas", "revisionHistoryLimit", "progressDeadlineSeconds"):
        if spec.get(key) is None:
            spec[key] = defaults[key]
    strategy = spec["strategy"] = _mapping(made, spec.get("strategy"), "spec.strategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy["rollingUpdate"] = _mapping(
            made, strategy.get("rollingUpdate"), "spec.strategy.rollingUpdate"
        )
        for key in ("maxSurge", "maxUnavailable"):
            if rolling.get(key) is None:
                rolling[key] = defaults["pace"]
    _fill_pull_policies(spec, kruise=False)
    deadline, ready = spec["progressDeadlineSeconds"], spec.get("minReadySeconds") or 0
    if deadline <= ready:
        raise refused(
            made,
            f"spec.progressDeadlineSeconds ({deadline}) must be greater than spec.minReadySeconds ({ready})",
        )
    made["apiVersion"] = "apps/v1"
    return made


def fill_cloneset(source: Raw) -> Raw:
    """Give a copy whose containers say how they are pulled, as the webhook of Kruise would have them.

    Raises RefusedError, naming the field, for what no server would have stored.
    """
    made = copy.deepcopy(source)
    spec = _spec_of(made)
    _check(made)
    for key in ("updateStrategy", "scaleStrategy"):
        if spec.get(key) is not None:
            _mapping(made, spec[key], f"spec.{key}")
    _fill_pull_policies(spec, kruise=True)
    return made


def fill_statefulset(source: Raw) -> Raw:
    """Give a copy of a StatefulSet with everything said that its twin writes.

    Raises RefusedError, naming the field, for what no server would have stored.
    """
    made = copy.deepcopy(source)
    oldest = made.get("apiVersion") == "apps/v1beta1"
    spec = _spec_of(made)
    if oldest and not spec.get("selector"):
        spec["selector"] = {"matchLabels": labels_of(dig(spec, ("template",), {}))}
    _check(made)
    _check_claims(made)
    for key in ("replicas", "revisionHistoryLimit"):
        if spec.get(key) is None:
            spec[key] = _NUMBERS[key]
    _mapping(made, spec.get("ordinals"), "spec.ordinals")
    spec["persistentVolumeClaimRetentionPolicy"] = retention_of(made)
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = spec["updateStrategy"] = _mapping(made, spec.get("updateStrategy"), "spec.updateStrategy")
    if not strategy.get("type"):
        strategy["type"] = "OnDelete" if oldest else "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy["rollingUpdate"] = _mapping(
            made, strategy.get("rollingUpdate"), "spec.updateStrategy.rollingUpdate"
        )
        if rolling.get("partition") is None:
            rolling["partition"] = 0
    _fill_pull_policies(spec, kruise=False)
    made["apiVersion"] = "apps/v1"
    return made


def fill_asts(source: Raw) -> Raw:
    """Give a copy of an Advanced StatefulSet whose containers say how they are pulled, as Kruise would have them.

    Raises RefusedError, naming the field, for what no server would have stored.
    """
    made = copy.deepcopy(source)
    spec = _spec_of(made)
    _check(made)
    _check_claims(made)
    _mapping(made, dig(spec, ("updateStrategy", "rollingUpdate")), "spec.updateStrategy.rollingUpdate")
    _fill_pull_policies(spec, kruise=True)
    return made


def filled_in(source: Any, filled: Any, path: str = "spec") -> Iterator[Fate]:
    """Name every value that one of the functions above has written down, below `path`."""
    if isinstance(filled, dict):
        held = source if isinstance(source, dict) else {}
        for key, value in filled.items():
            yield from filled_in(held.get(key), value, f"{path}.{key}")
    elif isinstance(filled, list):
        for at, value in enumerate(filled):
            inner = source[at] if isinstance(source, list) and at < len(source) else None
            yield from filled_in(inner, value, f"{path}[{at}]")
    elif source is None and filled is not None:
        yield Fate(path, f"{filled}, which was meant and not said")


def _fill_pull_policies(spec: Raw, *, kruise: bool) -> None:
    template = spec["template"]["spec"]
    for container in template.get("initContainers") or []:
        _fill_policy(container, pull_policy(str(container.get("image") or "")))
    for container in template["containers"]:
        policy = "Always" if kruise else pull_policy(str(container.get("image") or ""))
        _fill_policy(container, policy)


def _fill_policy(container: Raw, policy: str) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = policy


def _spec_of(made: Raw) -> Raw:
    _mapping(made, made.get("metadata"), "metadata")
    spec = made["spec"] = _mapping(made, made.get("spec"), "spec")
    return spec


def _check(source: Raw) -> None:
    """Check as much of the structure as a conversion relies on; the server checks the rest."""
    if not name_of(source):
        raise refused(source, "metadata.name is missing")
    spec = source["spec"]
    for path in (("selector",), ("template",), ("template", "metadata"), ("template", "spec")):
        _mapping(source, dig(spec, path), f"spec.{'.'.join(path)}")
    for part in ("containers", "initContainers"):
        held = dig(spec, ("template", "spec", part))
        if held is not None and not (isinstance(held, list) and all(isinstance(each, dict) for each in held)):
            raise refused(source, f"spec.template.spec.{part} is no list of containers")
    for key in ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        value = spec.get(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise refused(source, f"spec.{key} is {value!r}, which is no number of 0 or more")
    check_selector(source)
    if not dig(spec, ("template", "spec", "containers")):
        raise refused(source, "spec.template.spec.containers is missing")


def _check_claims(source: Raw) -> None:
    """Check that the claim templates are a list of objects with names."""
    templates = source["spec"].get("volumeClaimTemplates") or []
    if not isinstance(templates, list) or not all(
        isinstance(each, dict) and name_of(each) for each in templates
    ):
        raise refused(source, "spec.volumeClaimTemplates is no list of claims that have names")


def _mapping(source: Raw, value: Any, path: str) -> Raw:
    """Give a map, an empty one for nothing. Raises RefusedError where something else stands there."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise refused(source, f"{path} is {value!r}, which is no map")
    return value

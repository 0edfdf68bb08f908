"""Defaults of Advanced StatefulSets as the mutating webhook writes them (advanced-statefulset.md §6)."""

from typing import Any, Final

from kubectl_kruise.engine.admission.pod_defaults import fill_claim_template, fill_pod_template
from kubectl_kruise.engine.gates import Gates
from kubectl_kruise.facts.policies import ON_DELETE, RECREATE
from kubectl_kruise.facts.statefulset_fields import statefulset_structs
from kubectl_kruise.objects.raw import Raw, api_version, copied, dig
from kubectl_kruise.objects.typed import typed

ROLLING_UPDATE: Final = "RollingUpdate"
_ROLLING: Final[Raw] = {
    "partition": 0,
    "maxUnavailable": 1,
    "podUpdatePolicy": RECREATE,
    "minReadySeconds": 0,
}
_RETAINED: Final[Raw] = {"whenDeleted": "Retain", "whenScaled": "Retain"}


def typed_statefulset(obj: Raw) -> Raw:
    """Give metadata, spec and status in typed form. Raises ValueError with the decoder's text where a value does not fit."""
    version = api_version(obj)
    return typed(obj, f"StatefulSet@{version}", statefulset_structs(version))


def complete_statefulset(obj: Raw, old: Raw | None = None, gates: Gates | None = None) -> Raw:
    """Do as the webhook does: a creation without `old`, else an update.

    Gives `obj` itself where nothing was missing and its status is empty (D-8): that object is stored as it was sent.
    Any other is written back, as `default_statefulset` gives it (D-10). Raises ValueError with the decoder's text where
    a value does not fit its type.
    """
    gates = gates or Gates()
    read = typed_statefulset({key: obj[key] for key in ("apiVersion", "spec", "status") if key in obj})
    spec = _filled(read["spec"], obj, old, gates)
    # What v1alpha1 has no place for is missing in each of its objects, and filled in for a moment.
    lacking = not _newer(obj) and (gates.auto_delete_claims or gates.resize_claims)
    empty: Raw = typed_statefulset({"apiVersion": obj["apiVersion"]})["status"]
    if not lacking and spec == read["spec"] and read["status"] == empty:
        return obj
    return {**obj, "spec": spec}


def default_statefulset(obj: Raw, old: Raw | None = None, gates: Gates | None = None) -> Raw:
    """Fill in what is missing: a creation without `old`, else an update; the gates say what of claims and templates.

    The spec comes back in its typed form: unknown fields and empty values are gone, and what Go always prints is there.
    Metadata and status are those of `obj`. Raises ValueError with the decoder's text where a value does not fit its type.
    """
    read = typed_statefulset({key: obj[key] for key in ("apiVersion", "spec") if key in obj})
    return {**obj, "spec": _filled(read["spec"], obj, old, gates or Gates())}


def _newer(obj: Raw) -> bool:
    return api_version(obj) == "v1beta1"


def _filled(read: Raw, obj: Raw, old: Raw | None, gates: Gates) -> Raw:
    """Give a copy of the typed spec `read` of `obj`, with defaults."""
    spec: Raw = copied(read)
    _set(spec, {"podManagementPolicy": "OrderedReady", "replicas": 1, "revisionHistoryLimit": 10})
    _default_strategy(spec["updateStrategy"])
    if _newer(obj):
        _default_claims(spec, gates)
    if not gates.bare_templates and _new_template(obj, old, read):
        fill_pod_template(spec["template"], kruise=True, host_ports=gates.host_ports)
        for claim in spec.get("volumeClaimTemplates") or []:
            fill_claim_template(claim)
    return spec


def _new_template(obj: Raw, old: Raw | None, read: Raw) -> bool:
    """Say whether an update has another template (D-7); `read` is the typed spec of `obj`."""
    if old is None:
        return True
    # What is alike as it stands reads alike: most updates are spared the reading of the old object.
    if dig(obj, ("spec", "template")) == dig(old, ("spec", "template")):
        return False
    different: bool = read["template"] != typed_statefulset(old)["spec"]["template"]
    return different


def _default_strategy(strategy: Raw) -> None:
    _set(strategy, {"type": ROLLING_UPDATE})
    if strategy["type"] == ROLLING_UPDATE:
        _set(strategy.setdefault("rollingUpdate", {}), _ROLLING)


def _default_claims(spec: Raw, gates: Gates) -> None:
    if gates.auto_delete_claims:
        _set(spec.setdefault("persistentVolumeClaimRetentionPolicy", {}), _RETAINED)
    if gates.resize_claims:
        _set(spec["volumeClaimUpdateStrategy"], {"type": ON_DELETE})


def _set(target: Raw, values: dict[str, Any]) -> None:
    for key, value in values.items():
        if target.get(key) is None:
            target[key] = value

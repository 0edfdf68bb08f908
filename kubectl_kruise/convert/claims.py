"""Claim templates and retention policies between the two kinds of StatefulSets (migration.md §3.2)."""

import copy
from typing import Any, Final

from kubectl_kruise.convert.report import Fates
from kubectl_kruise.objects.raw import Raw

RETAIN: Final = {"whenDeleted": "Retain", "whenScaled": "Retain"}
"""No claim is ever deleted: what both kinds do by themselves, and what lets nobody own a claim."""

_NOISE: Final = ("apiVersion", "kind", "status")


def claim_templates(spec: Raw, fates: Fates) -> list[Raw]:
    """Give the claim templates with names, specs, labels and annotations; what a server adds, and nulls, stay behind."""
    templates = [_cleaned(template) for template in spec.get("volumeClaimTemplates") or []]
    fates.keep(templates or None)
    return templates


def retention_of(spec: Raw) -> Raw:
    """Give the retention policy of a spec, both of its members said."""
    return {**RETAIN, **_said(spec.get("persistentVolumeClaimRetentionPolicy") or {})}


def _cleaned(template: Raw) -> Raw:
    made = {key: copy.deepcopy(value) for key, value in template.items() if key not in _NOISE}
    return dict(_without_nulls(made))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value


def _said(policy: Raw) -> Raw:
    return {key: value for key, value in policy.items() if value}

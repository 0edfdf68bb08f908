"""Claim templates between the two kinds of StatefulSets (migration.md §3.2)."""

import copy
from typing import Any, Final

from kubectl_kruise.convert.report import Fates
from kubectl_kruise.objects.raw import Raw

_NOISE: Final = ("apiVersion", "kind", "status")


def claim_templates(spec: Raw, fates: Fates) -> list[Raw]:
    """Give the claim templates with names, specs, labels and annotations; what a server adds, and nulls, stay behind."""
    templates = [_cleaned(template) for template in spec.get("volumeClaimTemplates") or []]
    fates.keep(templates or None)
    return templates


def _cleaned(template: Raw) -> Raw:
    made = {key: copy.deepcopy(value) for key, value in template.items() if key not in _NOISE}
    return dict(_without_nulls(made))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value

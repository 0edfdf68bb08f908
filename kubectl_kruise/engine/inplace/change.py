"""The change of one in-place update: computed once, applied in batches, kept in the grace annotation meanwhile.

JSON texts have the field order and the omissions of the manager's own types (cloneset.md §16.5, §17.6).
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubectl_kruise.engine.inplace.resources import Resources
from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.objects.raw import Raw

RefMetadata = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Container → `labels` or `annotations` → key → value that the container's environment reads."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an in-place update does to a pod; `metadata` is a strategic merge patch, None for no metadata change."""

    revision: str
    images: Mapping[str, str] = field(default_factory=dict)
    references: RefMetadata = field(default_factory=dict)
    resources: Resources = field(default_factory=dict)
    metadata: Raw | None = None
    env_from_metadata: bool = False
    grace_seconds: int = 0

    @property
    def containers(self) -> frozenset[str]:
        """Names of the containers that the change touches."""
        return frozenset((*self.images, *self.references, *self.resources))


def sorted_keys(value: Any) -> Any:
    """Give the value with the keys of every object in order, as Go prints maps."""
    if isinstance(value, Mapping):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return [sorted_keys(item) for item in value] if isinstance(value, list) else value


def object_meta(reference: Mapping[str, Mapping[str, str]]) -> Raw:
    """Give referenced labels and annotations as the manager prints an ObjectMeta."""
    parts = {kind: sorted_keys(reference[kind]) for kind in ("labels", "annotations") if reference.get(kind)}
    return {"creationTimestamp": None, **parts}


def grace_text(change: Change) -> str:
    """Give the text of annotation `apps.kruise.io/inplace-update-grace`."""
    shown: Raw = {"revision": change.revision}
    if change.images:
        shown["containerImages"] = sorted_keys(change.images)
    if change.references:
        shown["containerRefMetadata"] = {
            name: object_meta(change.references[name]) for name in sorted(change.references)
        }
    if change.resources:
        shown["containerResources"] = sorted_keys(change.resources)
    if change.metadata is not None:
        text = go_json(sorted_keys(change.metadata))
        shown["metaDataPatch"] = base64.b64encode(text.encode()).decode()
    if change.env_from_metadata:
        shown["updateEnvFromMetadata"] = True
    if change.grace_seconds:
        shown["graceSeconds"] = change.grace_seconds
    return go_json(shown)


def parse_grace(text: str) -> Change:
    """Read the text of `grace_text` back; raises ValueError for anything else."""
    raw = json.loads(text)
    try:
        return _change(raw)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"not an in-place update: {error}") from error


def _change(raw: Raw) -> Change:
    patch = raw.get("metaDataPatch")
    return Change(
        revision=str(raw.get("revision") or ""),
        images=dict(raw.get("containerImages") or {}),
        references=dict(raw.get("containerRefMetadata") or {}),
        resources=dict(raw.get("containerResources") or {}),
        metadata=json.loads(base64.b64decode(patch)) if patch else None,
        env_from_metadata=bool(raw.get("updateEnvFromMetadata")),
        grace_seconds=int(raw.get("graceSeconds") or 0),
    )

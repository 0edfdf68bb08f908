"""Patches as a server would apply them, as far as migrations send any."""

import copy
from typing import Any

from kubectl_kruise.cluster.port import Patch, PatchType
from kubectl_kruise.objects.raw import Raw, metadata


def patched(live: Raw, patch: Patch) -> Raw:
    """Give an object after a patch."""
    if patch.type is PatchType.JSON:
        import jsonpatch

        return dict(jsonpatch.apply_patch(live, patch.body))
    made = copy.deepcopy(live)
    if patch.type is PatchType.MERGE:
        return dict(_merge(made, patch.body))
    meta = {key: value for key, value in metadata(patch.body).items() if key != "ownerReferences"}
    made["metadata"] = _merge(metadata(made), meta)
    owners = {owner["uid"]: owner for owner in metadata(made).get("ownerReferences") or []}
    for owner in metadata(patch.body).get("ownerReferences") or []:
        if owner.get("$patch") == "delete":
            owners.pop(owner["uid"], None)
        else:
            owners[owner["uid"]] = owner
    made["metadata"]["ownerReferences"] = list(owners.values())
    return made


def _merge(present: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = dict(present) if isinstance(present, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged

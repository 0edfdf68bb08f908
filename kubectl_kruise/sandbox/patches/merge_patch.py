"""JSON merge patch (RFC 7396, sandbox-apiserver.md P4)."""

from typing import Any

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.patches.errors import undecodable, unreadable


def merge_patch(document: Raw, patch: Any) -> Raw:
    """Give the merged object; what the patch does not touch is shared with the old one, which stays untouched.

    Raises PatchError 400 unless the patch is an object.
    """
    if patch is None:
        raise unreadable("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise undecodable(patch, "map[string]interface {}")
    return _merged(document, patch)


def _merged(target: Any, patch: Raw) -> Raw:
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict):
            out[key] = _merged(out.get(key), value)
        else:
            out[key] = value
    return out

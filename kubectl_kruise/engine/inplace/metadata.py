"""Metadata of a template carried over to a living pod: a strategic merge patch made and applied (cloneset.md §16.4).

Pod metadata knows one merged list of scalars, the finalizers; everything else in it merges by key or is replaced.
"""

from typing import Any, Final

from kubectl_kruise.objects.raw import Raw

_FINALIZERS: Final = "finalizers"
_DELETE: Final = "$deleteFromPrimitiveList/finalizers"
_ORDER: Final = "$setElementOrder/finalizers"


def metadata_patch(old: Raw, new: Raw) -> Raw:
    """Give the patch of `metadata` that turns `old` into `new`; `{}` where they are equal."""
    patch = _merge(
        {key: value for key, value in old.items() if key != _FINALIZERS},
        {key: value for key, value in new.items() if key != _FINALIZERS},
    )
    before, after = old.get(_FINALIZERS) or [], new.get(_FINALIZERS) or []
    if not after and before:
        patch[_FINALIZERS] = None
    elif before != after:
        added = [name for name in after if name not in before]
        removed = sorted(name for name in before if name not in after)
        patch |= {_FINALIZERS: added} if added else {}
        patch |= {_DELETE: removed} if removed else {}
        patch[_ORDER] = list(after)
    return {"metadata": patch} if patch else {}


def apply_metadata_patch(pod: Raw, patch: Raw) -> Raw:
    """Give the pod with the patch of `metadata_patch` applied; the pod itself stays as it is."""
    changes = dict(patch.get("metadata") or {})
    removed, order = changes.pop(_DELETE, []), changes.pop(_ORDER, [])
    touches_finalizers = _FINALIZERS in changes or removed or order
    wanted = changes.pop(_FINALIZERS, [])
    meta = _applied(pod.get("metadata") or {}, changes)
    if touches_finalizers:
        kept = _finalizers(
            [] if wanted is None else meta.get(_FINALIZERS) or [], wanted or [], removed, order
        )
        meta.pop(_FINALIZERS, None)
        meta |= {_FINALIZERS: kept} if kept else {}
    return {**pod, "metadata": meta}


def _finalizers(own: list[str], added: list[str], removed: list[str], order: list[str]) -> list[str]:
    """Merge the lists: those the order names in its order, those only the pod has behind them."""
    present = [name for name in [*own, *(name for name in added if name not in own)] if name not in removed]
    return [name for name in order if name in present] + [name for name in present if name not in order]


def _merge(old: Raw, new: Raw) -> Raw:
    patch: Raw = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            patch |= {key: inner} if (inner := _merge(before, value)) else {}
        elif before != value:
            patch[key] = value
    return patch


def _applied(own: Raw, changes: Raw) -> Raw:
    merged: dict[str, Any] = dict(own)
    for key, value in changes.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            merged[key] = _applied(merged.get(key) or {}, value)
        else:
            merged[key] = value
    return merged

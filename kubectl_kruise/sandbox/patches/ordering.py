"""The order of merged lists in strategic patches (sandbox-apiserver.md P5)."""

from collections.abc import Hashable, Sequence
from typing import Any

from kubectl_kruise.objects.notation.go_words import go_text
from kubectl_kruise.sandbox.patches.errors import broken


def interleaved(live: Sequence[Any], patch: Sequence[Any], before: Sequence[Any], key: str) -> list[Any]:
    """Merge two lists that keep their own order.

    A live item goes first where both stood in `before` in that order; a patch item unknown there goes before all live
    items that remain.
    """
    place = {_identity(item, key): index for index, item in enumerate(before)}
    out: list[Any] = []
    left, right = list(live), list(patch)
    while left and right:
        mine, other = place.get(_identity(left[0], key), -1), place.get(_identity(right[0], key), -1)
        out.append(left.pop(0) if 0 <= mine < other else right.pop(0))
    return [*out, *left, *right]


def in_order(items: Sequence[Any], before: Sequence[Any], wanted: Sequence[Hashable], key: str) -> list[Any]:
    """Bring the items named in `wanted` into that order and let the others keep their place among them."""
    rank = {identity: index for index, identity in enumerate(wanted)}
    named = sorted(
        (item for item in items if _identity(item, key) in rank), key=lambda item: rank[_identity(item, key)]
    )
    place = {_identity(item, key): index for index, item in enumerate(before)}
    others = [item for item in items if _identity(item, key) not in rank]
    others.sort(key=lambda item: place.get(_identity(item, key), len(place)))
    return interleaved(others, named, before, key)


def prescribed(patch: Sequence[Any], order: Any, key: str) -> list[Hashable]:
    """Read a `$setElementOrder` list. Raises PatchError 500 where the patch's items do not stand in it in order."""
    wanted = [_identity(item, key) for item in order] if isinstance(order, list) else []
    position = -1
    for item in patch:
        if isinstance(item, dict) and "$patch" in item:
            continue
        identity = _identity(item, key)
        found = wanted.index(identity) if identity in wanted else -1
        if found <= position:
            raise broken(
                f"The order in patch list:\n{go_text(list(patch))}\n doesn't match $setElementOrder list:\n{go_text(order)}\n"
            )
        position = found
    return wanted


def _identity(item: Any, key: str) -> Hashable:
    return item.get(key) if isinstance(item, dict) else item

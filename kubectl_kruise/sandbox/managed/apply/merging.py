"""The live object with a configuration laid over it (sandbox-apiserver.md F6, F7)."""

from typing import Any

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.items import Unidentified, element_of
from kubectl_kruise.sandbox.managed.shape import ABSENT, DEDUCED, Shape, kind_of


def merge(live: Raw, config: Raw, shape: Shape) -> Raw:
    """Give the merged object; what the configuration does not name is shared with the live one."""
    merged: Raw = _merged(live, config, shape)
    return merged


def _merged(live: Any, config: Any, shape: Shape) -> Any:
    kind = kind_of(shape, config)
    if kind == "map" and not shape.atomic_map and isinstance(live, dict) and (live or config):
        out = dict(live)
        for name, value in config.items():
            out[name] = _merged(live[name], value, shape.field(name) or DEDUCED) if name in live else value
        return out
    if kind == "list" and not shape.atomic_list and isinstance(live, list) and (live or config):
        return _lists(live, config, shape)
    if config is None and _merges(live, shape):
        return live
    return config


def _merges(live: Any, shape: Shape) -> bool:
    """Tell whether null laid over a value leaves it: maps and lists that are merged have nothing to merge then."""
    kind = kind_of(shape, live)
    return bool(live) and (
        (kind == "map" and not shape.atomic_map) or (kind == "list" and not shape.atomic_list)
    )


def _lists(live: list[Any], config: list[Any], shape: Shape) -> list[Any]:
    """Merge items by what identifies them.

    The configuration decides the order of its items. The others keep their place: before the next item that stands in
    both lists in the same order.
    """
    held: dict[str, list[Any]] = {}
    order = [(_identity(shape, item, index), item) for index, item in enumerate(live)]
    for element, item in order:
        held.setdefault(element, []).append(item)
    wanted = {_identity(shape, item, index): item for index, item in enumerate(config)}
    merged = [
        (element, _item(held.get(element, []), item, shape.items or DEDUCED))
        for element, item in wanted.items()
    ]
    shared = [place for place, (element, _) in enumerate(merged) if element in held]
    out: list[Any] = []
    placed = passed = 0
    for element, item in order:
        if element not in wanted:
            out.append(item)
        elif passed < len(shared) and element == merged[shared[passed]][0]:
            end = shared[passed] + 1
            out += [found for _, found in merged[placed:end]]
            placed, passed = end, passed + 1
    return out + [found for _, found in merged[placed:]]


def _item(held: list[Any], item: Any, shape: Shape) -> Any:
    """Merge an item; with several that nothing tells apart it does not."""
    return _merged(held[0], item, shape) if len(held) == 1 else item


def _identity(shape: Shape, item: Any, index: int) -> str:
    """Give the path element of an item; an old object may hold items that nothing identifies."""
    try:
        return element_of(shape, item)
    except Unidentified:
        return f"{ABSENT}{index}"

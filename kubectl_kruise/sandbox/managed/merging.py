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
    inner = shape.items or DEDUCED
    held: dict[str, list[Any]] = {}
    order: list[tuple[str, Any]] = []
    for index, item in enumerate(live):
        element = _identity(shape, item, index)
        held.setdefault(element, []).append(item)
        order.append((element, item))
    wanted = {_identity(shape, item, index): item for index, item in enumerate(config)}
    shared = iter([element for element in wanted if element in held])
    anchor = next(shared, None)
    out: list[Any] = []
    rest = iter(wanted.items())
    upcoming = next(rest, None)

    def place() -> None:
        nonlocal upcoming, anchor
        if upcoming is None:
            return
        element, item = upcoming
        old = held.get(element, [])
        out.append(_merged(old[0], item, inner) if len(old) == 1 else item)
        if element == anchor:
            anchor = next(shared, None)
        upcoming = next(rest, None)

    placed: set[str] = set()
    for element, item in order:
        if element not in wanted:
            out.append(item)
        elif element == anchor:
            while upcoming is not None and element not in placed:
                placed.add(upcoming[0])
                place()
    while upcoming is not None:
        place()
    return out


def _identity(shape: Shape, item: Any, index: int) -> str:
    """Give the path element of an item; an old object may hold items that nothing identifies."""
    try:
        return element_of(shape, item)
    except Unidentified:
        return f"{ABSENT}{index}"

"""What identifies an item of a list (sandbox-apiserver.md F7)."""

from typing import Any

from kubectl_kruise.sandbox.managed.fields import json_text
from kubectl_kruise.sandbox.managed.shape import Shape


class Unidentified(ValueError):  # noqa: N818 - reads as what it says
    """An item that cannot be told from others; the text says why."""


def element_of(shape: Shape, item: Any) -> str:
    """Give the path element of an item of a set or of a list of maps. Raises Unidentified."""
    return _keyed(shape, item) if shape.keys else _valued(item)


def elements_of(shape: Shape, items: list[Any]) -> dict[str, list[Any]]:
    """Give items by their path element, in order; several under one where the list holds duplicates.

    Items that nothing identifies, which only an old object can hold, are left out.
    """
    found: dict[str, list[Any]] = {}
    for item in items:
        try:
            found.setdefault(element_of(shape, item), []).append(item)
        except Unidentified:
            continue
    return found


def _keyed(shape: Shape, item: Any) -> str:
    if item is None:
        raise Unidentified("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise Unidentified("associative list with keys may not have non-map elements")
    defaults = shape.items.defaults if shape.items else {}
    found = {}
    for key in shape.keys:
        if key in item:
            found[key] = item[key]
        elif key in defaults:
            found[key] = defaults[key]
    if not found:
        names = " ".join(f'"{key}"' for key in shape.keys)
        raise Unidentified(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return "k:" + json_text(found)


def _valued(item: Any) -> str:
    if isinstance(item, dict):
        raise Unidentified("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise Unidentified("not supported: associative list with lists as elements")
    if item is None:
        raise Unidentified("associative list without keys has an element that's an explicit null")
    return "v:" + json_text(item)

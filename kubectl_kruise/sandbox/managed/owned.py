"""The fields that a configuration names: what its sender owns by applying it (sandbox-apiserver.md F2)."""

from typing import Any

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import SELF, Fields, joined
from kubectl_kruise.sandbox.managed.items import elements_of
from kubectl_kruise.sandbox.managed.shape import DEDUCED, Shape, kind_of


def fields_of(obj: Raw, shape: Shape) -> Fields:
    """Give the fields of an object: its scalars and atomic values, empty maps and undeclared members, list items."""
    return _below(obj, shape)[0]


def _below(value: Any, shape: Shape) -> tuple[Fields, bool]:
    """Give the fields below a value, and whether it is one itself."""
    kind = kind_of(shape, value)
    if kind == "map":
        if shape.atomic_map:
            return {}, True
        return _members(value, shape), False
    if kind == "list":
        if shape.atomic_list:
            return {}, True
        return _items(value, shape), False
    return {}, True


def _members(raw: Raw, shape: Shape) -> Fields:
    out: Fields = {}
    for name, value in raw.items():
        below, whole = _below(value, shape.field(name) or DEDUCED)
        member = whole or value == {} or name not in shape.fields
        node = joined(below, member=member)
        if node is not None:
            out[f"f:{name}"] = node
    return out


def _items(items: list[Any], shape: Shape) -> Fields:
    out: Fields = {}
    for element, found in elements_of(shape, items).items():
        below: Fields = {}
        for item in found:
            below = below | _below(item, shape.items or DEDUCED)[0]
        out[element] = joined(below, member=True) or {}
    return out


def with_named(fields: Fields, shape: Shape | None) -> Fields:
    """Give the set with every declared member of a map in it below which it has members.

    Without this, removing all that is in such a member would leave it there, empty.
    """
    if shape is None:
        return fields
    out: Fields = {}
    for element, node in fields.items():
        if not node or element == SELF:
            out[element] = node
            continue
        below = with_named(node, shape.at(element))
        named = element.startswith("f:") and element[2:] in shape.fields
        out[element] = below | {SELF: {}} if named else below
    return out


def with_whole(fields: Fields, shape: Shape) -> Fields:
    """Give the set with those maps and lists in one piece that are one value now, and were not when it was made."""
    out: Fields = {}
    for element, node in fields.items():
        below = shape.at(element) if node and element != SELF else None
        if below is None or below is DEDUCED:
            out[element] = node
        else:
            whole = below.atomic_map if below.mapping else below.atomic_list
            out[element] = {} if whole else with_whole(node, below)
    return out

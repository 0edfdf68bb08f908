"""An object without the fields of a set (sandbox-apiserver.md F6)."""

from typing import Any

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import Fields, is_member
from kubectl_kruise.sandbox.managed.items import Unidentified, element_of
from kubectl_kruise.sandbox.managed.shape import DEDUCED, Shape, kind_of


def remove(obj: Raw, fields: Fields, shape: Shape) -> Raw:
    """Give the object without `fields`; what is not on their way is shared. An emptied map or list becomes null."""
    return _without(obj, fields, shape) or {}


def _without(value: Any, fields: Fields, shape: Shape) -> Any:
    if not fields or not value:
        return value
    kind = kind_of(shape, value)
    if kind == "map" and not shape.atomic_map:
        return _map(value, fields, shape) or None
    if kind == "list" and not shape.atomic_list:
        return _list(value, fields, shape) or None
    return value


def _map(raw: Raw, fields: Fields, shape: Shape) -> Raw:
    out = {}
    for name, value in raw.items():
        node = fields.get(f"f:{name}")
        if node is None:
            out[name] = value
        elif not is_member(node):
            out[name] = _without(value, node, shape.field(name) or DEDUCED)
    return out


def _list(items: list[Any], fields: Fields, shape: Shape) -> list[Any]:
    out = []
    for item in items:
        try:
            node = fields.get(element_of(shape, item))
        except Unidentified:
            node = None
        if node is None:
            out.append(item)
        elif not is_member(node):
            out.append(_without(item, node, shape.items or DEDUCED))
    return out

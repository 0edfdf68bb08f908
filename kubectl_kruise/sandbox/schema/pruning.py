"""Pruning and defaulting of custom objects (sandbox-apiserver.md CR5, CR6)."""

from typing import Any, Final

from kubectl_kruise.objects.notation.field_errors import compact
from kubectl_kruise.objects.raw import Raw, copied
from kubectl_kruise.sandbox.native.decoding import Unreadable, decode, dotted
from kubectl_kruise.sandbox.native.structure import META, node_of
from kubectl_kruise.sandbox.schema.node import NOTHING, Node

_OWN: Final = frozenset({"apiVersion", "kind", "metadata"})
_LONGEST_PLAIN: Final = 1e21
"""From here on Go prints numbers with an exponent."""


def prune(node: Node, value: Any, trail: list[str | int], unknown: list[str], *, nulls: bool = False) -> Any:
    """Copy what the schema knows and note what it does not.

    Nulls go where the schema does not say that they are allowed; with `nulls` only where it has a default in their place.
    Raises Unreadable for the metadata of an embedded object.
    """
    if isinstance(value, dict):
        if node.values is not None:
            return _pruned_map(node.values, value, trail, unknown, nulls=nulls)
        if not node.properties and node.preserve and not node.embedded:
            return copied(value)
        return _pruned_object(node, value, trail, unknown, nulls=nulls)
    if isinstance(value, list) and node.items is not None:
        out = []
        for index, item in enumerate(value):
            trail.append(index)
            out.append(prune(node.items, item, trail, unknown, nulls=nulls))
            trail.pop()
        return out
    return copied(value)


def printed(value: Any) -> Any:
    """Give JSON with its numbers as Go prints them: 3.0, which a schema still takes for a fraction, as 3."""
    if isinstance(value, dict):
        return {key: printed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [printed(item) for item in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _LONGEST_PLAIN
    return int(value) if whole else value


def _pruned_object(node: Node, raw: Raw, trail: list[str | int], unknown: list[str], *, nulls: bool) -> Raw:
    properties, out = node.properties or {}, {}
    for key, value in raw.items():
        field = properties.get(key)
        if node.embedded and key in _OWN:
            out[key] = _embedded_metadata(value, trail) if key == "metadata" else value
        elif field is None:
            if node.preserve:
                out[key] = copied(value)
            else:
                unknown.append(dotted([*trail, key]))
        elif value is not None:
            if isinstance(value, dict | list):
                trail.append(key)
                out[key] = prune(field, value, trail, unknown, nulls=nulls)
                trail.pop()
            else:
                out[key] = value
        elif field.nullable or (nulls and field.default is NOTHING):
            out[key] = None
    return out


def _pruned_map(values: Node, raw: Raw, trail: list[str | int], unknown: list[str], *, nulls: bool) -> Raw:
    out = {}
    for key, value in raw.items():
        if value is None and not values.nullable and not nulls:
            continue
        trail.append(key)
        out[key] = prune(values, value, trail, unknown, nulls=nulls)
        trail.pop()
    return out


def _embedded_metadata(value: Any, trail: list[str | int]) -> Any:
    found = decode(node_of(META), value)
    if found.problem:
        raise Unreadable(f"{dotted([*trail, 'metadata'])}: Invalid value: {compact(value)}: {found.problem}")
    return found.object


def fill_defaults(node: Node, value: Any) -> None:
    """Fill defaults in place, only where the parent object exists; inner defaults apply to filled objects too."""
    if not node.defaults_below:
        return
    if isinstance(value, dict):
        for key, field in (node.properties or {}).items():
            if key not in value and field.default is not NOTHING:
                value[key] = copied(field.default)
            if field.defaults_below and key in value:
                fill_defaults(field, value[key])
        if node.values is not None:
            for inner in value.values():
                fill_defaults(node.values, inner)
    elif isinstance(value, list) and node.items is not None:
        for item in value:
            fill_defaults(node.items, item)

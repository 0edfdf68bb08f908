"""Strategic merge patch, driven by the patch strategies of the schema (sandbox-apiserver.md P5)."""

from collections.abc import Hashable
from typing import Any, Final

from kubectl_kruise.objects.notation.go_words import go_text
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.patches.errors import broken, unfit, unreadable
from kubectl_kruise.sandbox.patches.merge_patch import merge_patch
from kubectl_kruise.sandbox.patches.ordering import in_order, interleaved, prescribed
from kubectl_kruise.sandbox.schema.node import Node

_DIRECTIVE: Final = "$patch"
_ORDER: Final = "$setElementOrder/"
_REMOVE: Final = "$deleteFromPrimitiveList/"
_RETAIN: Final = "$retainKeys"
_LISTS: Final = {_ORDER: "setElementOrder list", _REMOVE: "primitive list"}
"""Directives whose value is a list, and what the server calls that list."""
_ANY: Final = Node()
_PYTHON: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
}  # fmt: skip


def strategic_patch(document: Raw, patch: Any, schema: Node) -> Raw:
    """Give the patched object; the old one stays untouched and shares what the patch does not name.

    Raises PatchError: 400 for a patch that is no object, 422 for a value of the wrong shape, 500 for directives that
    contradict the lists they stand beside.
    """
    if not isinstance(patch, dict):
        return merge_patch(document, patch)
    misfit = _misfit(patch, schema)
    if misfit:
        raise unfit(go_text(patch), misfit)
    return _object(document, patch, schema)


def _object(live: Raw, patch: Raw, schema: Node) -> Raw:
    directive = patch.get(_DIRECTIVE)
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise broken(f"unknown patch type: {go_text(directive)} in map: {go_text(patch)}")
    _check_lists(patch)
    out = _retained(live, patch)
    for key, value in patch.items():
        if key.startswith("$"):
            _directive(out, live, patch, key, schema)
        elif value is None:
            out.pop(key, None)
        elif f"{_ORDER}{key}" not in patch or not _below(schema, key).merges:
            out[key] = _member(out.get(key), value, _below(schema, key))
    return out


def _check_lists(patch: Raw) -> None:
    """Refuse directives that name no list, before any is carried out: one looks at what another says."""
    for key, value in patch.items():
        known = _LISTS.get(f"{key.partition('/')[0]}/") if key.startswith("$") else None
        if known and not isinstance(value, list):
            raise unreadable(f"invalid patch format of {known}")


def _directive(out: Raw, live: Raw, patch: Raw, key: str, schema: Node) -> None:
    """Carry out a directive that stands beside the field it is about."""
    name, _, field = key.partition("/")
    items, node, named = out.get(field), _below(schema, field), patch.get(field) or []
    if f"{name}/" == _REMOVE and isinstance(items, list):
        out[field] = [item for item in items if item not in patch[key]]
    elif f"{name}/" == _ORDER and node.merges and (named or field not in patch):
        wanted = prescribed(named, patch[key], node.merge_key)
        removed = patch.get(f"{_REMOVE}{field}", ())
        before = [item for item in live.get(field) or [] if item not in removed]
        merged = _list(before, named, node, wanted)
        if merged or field in live or field in patch:
            out[field] = merged


def _retained(live: Raw, patch: Raw) -> Raw:
    """Copy the live object, without the keys that `$retainKeys` leaves out."""
    kept = patch.get(_RETAIN)
    if kept is None:
        return dict(live)
    if not isinstance(kept, list) or any(key not in kept for key in patch if not key.startswith("$")):
        raise unreadable("invalid patch format of retainKeys")
    return {key: value for key, value in live.items() if key in kept}


def _member(live: Any, patch: Any, schema: Node) -> Any:
    if isinstance(patch, dict):
        return _object(live, patch, schema) if isinstance(live, dict) else _settled(patch)
    if isinstance(patch, list) and isinstance(live, list) and schema.merges:
        return _list(live, patch, schema, [])
    return _settled(patch)


def _list(live: list[Any], patch: list[Any], schema: Node, wanted: list[Hashable]) -> list[Any]:
    """Merge two lists; `wanted` are the keys in prescribed order, [] where the patch's own order counts."""
    if any(isinstance(item, list) for item in (*live, *patch)):
        raise broken("lists of lists are not supported")
    kinds = {isinstance(item, dict) for item in (*live, *patch)}
    if len(kinds) > 1:
        raise broken(f"list element types are not identical: {go_text([live, patch])}")
    if True not in kinds:
        merged = list(dict.fromkeys((*live, *patch)))
        return in_order(merged, live, wanted or list(patch), "")
    return _keyed(live, patch, schema, wanted)


def _keyed(live: list[Raw], patch: list[Raw], schema: Node, wanted: list[Hashable]) -> list[Any]:
    key = schema.merge_key
    if any(item.get(_DIRECTIVE) == "replace" for item in patch):
        return [_settled(item) for item in patch if _DIRECTIVE not in item]
    gone: set[Hashable] = set()
    named: dict[Hashable, Raw] = {}
    for item in patch:
        if item.get(_DIRECTIVE) not in (None, "delete", "merge"):
            raise broken(f"unknown patch type: {go_text(item[_DIRECTIVE])} in map: {go_text(item)}")
        if item.get(key) is None:
            raise broken(f"map: {go_text(item)} does not contain declared merge key: {key}")
        if item.get(_DIRECTIVE) == "delete":
            gone.add(item[key])
        else:
            named[item[key]] = item
    stay = [item for item in live if item.get(key) not in gone]
    known = {item.get(key): item for item in reversed(stay)}
    below = schema.items or _ANY
    changed = {name: _member(known.get(name), item, below) for name, item in named.items()}
    if wanted:
        everything = [changed.pop(item.get(key), item) for item in stay]
        return in_order([*everything, *changed.values()], live, wanted, key)
    return interleaved(
        [item for item in stay if item.get(key) not in named], list(changed.values()), live, key
    )


def _below(schema: Node, key: str) -> Node:
    return (schema.properties or {}).get(key) or schema.values or _ANY


def _settled(patch: Any) -> Any:
    """Give a part of a patch that meets nothing live: without nulls, directives and items to delete."""
    if isinstance(patch, dict):
        return {
            key: _settled(value)
            for key, value in patch.items()
            if value is not None and not key.startswith("$")
        }
    if isinstance(patch, list):
        return [_settled(item) for item in patch if not (isinstance(item, dict) and _DIRECTIVE in item)]
    return patch


def _misfit(patch: Any, schema: Node) -> str:
    """Give why a value cannot become a field of its type, "" where it can."""
    if patch is None or schema.int_or_string or schema.quantity or not schema.kind:
        return ""
    if schema.kind == "object":
        if not isinstance(patch, dict):
            target = "struct from:" if schema.properties is not None else "map from"
            return f"cannot restore {target} {_go_kind(patch)}"
        members = ((value, _below(schema, key)) for key, value in patch.items() if not key.startswith("$"))
        return next(filter(None, (_misfit(value, below) for value, below in members)), "")
    if schema.kind == "array":
        if not isinstance(patch, list):
            return f"cannot restore slice from {_go_kind(patch)}"
        fitting = (item for item in patch if isinstance(item, dict))
        return next(filter(None, (_misfit(item, schema.items or _ANY) for item in fitting)), "")
    if isinstance(patch, _PYTHON[schema.kind]) and (schema.kind == "boolean" or not isinstance(patch, bool)):
        return ""
    wanted = {"string": "string", "boolean": "bool", "number": "float64"}.get(
        schema.kind, schema.format or "int64"
    )
    return (
        f"unrecognized type: {wanted}"
        if isinstance(patch, str)
        else f"cannot convert {_go_kind(patch)} to {wanted}"
    )


def _go_kind(value: Any) -> str:
    return {str: "string", bool: "bool", int: "int64", float: "float64", list: "slice", dict: "map"}[
        type(value)
    ]

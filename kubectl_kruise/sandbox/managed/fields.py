"""Sets of field paths in the form in which they are stored: FieldsV1 (sandbox-apiserver.md F1).

A set maps path elements (`f:name`, `k:{"name":"c"}`, `v:"x"`, `i:0`) to what is known of them: `{}` for a member with nothing
below, `{".": {}, …}` for a member with more members below, anything else for a mere step to deeper members. The set itself is
the root, which is no member: `{}` is the empty set. Sets are never changed, so that objects, entries and results share them.
"""

import json
from typing import Any, Final

import orjson

Fields = dict[str, Any]

SELF: Final = "."
_ONE: Final[Fields] = {SELF: {}}
_KINDS: Final = ("f:", "k:", "v:", "i:")
"""The kinds of path elements in the order in which sets are printed."""


def union(one: Fields, other: Fields) -> Fields:
    """Give what is in either set."""
    if not one or one is other:
        return other
    if not other:
        return one
    out = dict(one)
    for element, below in other.items():
        out[element] = _united(out[element], below) if element in out else below
    return out


def _united(one: Fields, other: Fields) -> Fields:
    return one if one is other or one == other else _closed(union(one or _ONE, other or _ONE)) or {}


def difference(one: Fields, other: Fields) -> Fields:
    """Give what is in `one` and not in `other`; members below a member of `other` stay."""
    if not one or not other:
        return one
    out: Fields = {}
    for element, below in one.items():
        if element not in other:
            out[element] = below
        elif element == SELF:
            continue
        elif (rest := _closed(difference(below or _ONE, other[element] or _ONE))) is not None:
            out[element] = rest
    return one if out == one else out


def intersection(one: Fields, other: Fields) -> Fields:
    """Give what is in both sets."""
    out: Fields = {}
    if not one or not other:
        return out
    for element, below in one.items():
        if element not in other:
            continue
        if element == SELF:
            out[element] = {}
        else:
            common = _closed(intersection(below or _ONE, other[element] or _ONE))
            if common is not None:
                out[element] = common
    return out


def without(fields: Fields, roots: Fields) -> Fields:
    """Give what is neither a member of `roots` nor below one."""
    if not roots:
        return fields
    out: Fields = {}
    for element, below in fields.items():
        if element not in roots or element == SELF:
            out[element] = below
        elif not is_member(roots[element]):
            rest = _closed(without(below or _ONE, roots[element]))
            if rest is not None:
                out[element] = rest
    return out


_SHARED: Final[dict[bytes, Fields]] = {}
_SHARED_LIMIT: Final = 2048


def shared(fields: Fields) -> Fields:
    """Give an equal set that others hold too: a thousand pods of one workload need no thousand copies of it."""
    key = orjson.dumps(fields)
    if len(_SHARED) >= _SHARED_LIMIT:
        _SHARED.clear()
    return _SHARED.setdefault(key, fields)


def is_member(node: Fields) -> bool:
    """Tell whether the element with `node` below it is in the set itself."""
    return not node or SELF in node


def contains(fields: Fields, path: tuple[str, ...]) -> bool:
    """Tell whether a path is a member."""
    node = fields
    for step in path:
        if step not in node:
            return False
        node = node[step]
    return is_member(node)


def single(path: tuple[str, ...]) -> Fields:
    """Give the set of one path."""
    node: Fields = {}
    for step in reversed(path):
        node = {step: node}
    return node


def joined(below: Fields, *, member: bool) -> Fields | None:
    """Give the node of an element from what is below it; None where the set then knows nothing of it."""
    return _closed(below | _ONE if member else below)


def members(fields: Fields) -> list[tuple[str, ...]]:
    """Give all member paths: at every level the members themselves, in order, then what is below each."""
    order = sorted((element for element in fields if element != SELF), key=_rank)
    found: list[tuple[str, ...]] = [(element,) for element in order if is_member(fields[element])]
    for element in order:
        found += [(element, *rest) for rest in members(fields[element])]
    return found


def read(value: Any) -> Fields | None:
    """Read a set that a client wrote; unknown kinds of elements are left out. None where it is no set."""
    if value is None:
        return {}
    return _read(value) if isinstance(value, dict) else None


def _read(value: Fields) -> Fields | None:
    out: Fields = {}
    for element, below in value.items():
        if element == SELF:
            continue
        if not element.startswith(_KINDS):
            if len(element) > 1 and element[1] == ":":
                continue
            return None
        if not isinstance(below, dict):
            return None
        inner, name = _read(below), _canonical(element)
        if inner is None or name is None:
            return None
        node = joined(inner, member=not below or SELF in below)
        if node is not None:
            out[name] = node
    return out


def _canonical(element: str) -> str | None:
    """Give a path element as it is stored: the JSON in it compact, with sorted keys."""
    kind, text = element[:2], element[2:]
    if kind == "f:":
        return element
    try:
        found = json.loads(text)
    except ValueError:
        return None
    wanted = {"k:": dict, "i:": int}.get(kind, object)
    return kind + json_text(found) if isinstance(found, wanted) else None


def json_text(value: Any) -> str:
    """Give JSON as path elements hold it."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def path_text(path: tuple[str, ...]) -> str:
    """Write a path as messages show it: `.spec.containers[name="c"].image`."""
    return "".join(element_text(element) for element in path)


def element_text(element: str) -> str:
    kind, text = element[:2], element[2:]
    if kind == "f:":
        return f".{text}"
    if kind == "i:":
        return f"[{text}]"
    if kind == "v:":
        return f"[={text}]"
    return (
        "[" + ",".join(f"{key}={json_text(value)}" for key, value in sorted(json.loads(text).items())) + "]"
    )


def _rank(element: str) -> tuple[int, str]:
    kind = element[:2]
    return (_KINDS.index(kind) + 1 if kind in _KINDS else 0), element


def _closed(node: Fields) -> Fields | None:
    """Give a node in its shortest form; None where it holds nothing."""
    if not node:
        return None
    return {} if len(node) == 1 and SELF in node else node

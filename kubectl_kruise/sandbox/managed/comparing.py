"""The fields in which two states of an object differ (sandbox-apiserver.md F2, F3)."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import SELF, Fields, joined, union, without
from kubectl_kruise.sandbox.managed.items import elements_of
from kubectl_kruise.sandbox.managed.shape import ABSENT, DEDUCED, Shape, kind_of

_Part = Fields | None


class Changes(NamedTuple):
    """Fields that went, that have another value, and that are new."""

    removed: Fields
    modified: Fields
    added: Fields

    @property
    def written(self) -> Fields:
        """Give the fields that the new state brought."""
        return union(self.modified, self.added)

    def beyond(self, ignored: Fields) -> "Changes":
        """Leave out what lies in or below `ignored`."""
        return Changes(*(without(part, ignored) for part in self)) if ignored else self


class _Nodes(NamedTuple):
    """The same for one element: the node it has in each of the three sets."""

    removed: _Part = None
    modified: _Part = None
    added: _Part = None


_SAME: Final = _Nodes()
_LEAF: Final[Fields] = {}


def compare(old: Raw, new: Raw, shape: Shape) -> Changes:
    """Compare two states of one object, both in the version that `shape` describes."""
    found = _compared(old, new, shape)
    return Changes(found.removed or {}, found.modified or {}, found.added or {})


def _compared(old: Any, new: Any, shape: Shape) -> _Nodes:
    if old is ABSENT:
        return _Nodes(added=_come(new, shape))
    if _same(old, new):
        return _SAME
    before, after = kind_of(shape, old), kind_of(shape, new)
    if before and after and before != after:
        # Another kind of value where the type takes several: each is compared with nothing of its kind.
        gone, come = _by_kind(before, old, None, shape), _by_kind(after, None, new, shape)
        return _Nodes(gone.removed, come.modified if gone.modified is None else gone.modified, come.added)
    return _by_kind(after or before, old, new, shape)


def _same(old: Any, new: Any) -> bool:
    """Compare as JSON, whatever the order of keys: Python holds true and 1 for equal."""
    if old is new or old != new:
        return old is new
    if isinstance(old, dict | list):
        return orjson.dumps(old, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
            new, option=orjson.OPT_SORT_KEYS
        )
    return isinstance(old, bool) == isinstance(new, bool)


def _come(new: Any, shape: Shape) -> Fields:
    """Give the node of a value that was not there: of most objects that are created, all of it."""
    if isinstance(new, dict) and new and shape.mapping and not shape.atomic_map:
        out = {f"f:{name}": _come(value, shape.field(name) or DEDUCED) for name, value in new.items()}
        out[SELF] = _LEAF
        return out
    if isinstance(new, list) and new and shape.listing and not shape.atomic_list:
        inner = shape.items or DEDUCED
        out = {
            element: _come(found[0], inner) if len(found) == 1 else {}
            for element, found in elements_of(shape, new).items()
        }
        out[SELF] = _LEAF
        return out
    return _LEAF


def _by_kind(kind: str, old: Any, new: Any, shape: Shape) -> _Nodes:
    if kind == "map":
        return _maps(old, new, shape)
    if kind == "list":
        return _lists(old, new, shape)
    return _leaf(old, new)


def _leaf(old: Any, new: Any) -> _Nodes:
    if old is ABSENT:
        return _Nodes(added=_LEAF)
    return _Nodes(removed=_LEAF) if new is ABSENT else _Nodes(modified=_LEAF)


def _maps(old: Any, new: Any, shape: Shape) -> _Nodes:
    before = old if isinstance(old, dict) else {}
    after = new if isinstance(new, dict) else {}
    if shape.atomic_map or not (before or after):
        return _leaf(old, new)
    # Without duplicates, and in order; a dict view of both would have neither.
    names = after if not before else [*after, *(name for name in before if name not in after)]
    return _gathered(
        old,
        new,
        (
            (
                f"f:{name}",
                _compared(before.get(name, ABSENT), after.get(name, ABSENT), shape.field(name) or DEDUCED),
            )
            for name in names
            if name not in before or name not in after or before[name] is not after[name]
        ),
    )


def _lists(old: Any, new: Any, shape: Shape) -> _Nodes:
    before = old if isinstance(old, list) else []
    after = new if isinstance(new, list) else []
    if shape.atomic_list or not (before or after):
        return _leaf(old, new)
    held, wanted = elements_of(shape, before), elements_of(shape, after)
    return _gathered(
        old,
        new,
        (
            (element, _items(held.get(element, []), wanted.get(element, []), shape.items or DEDUCED))
            for element in {**held, **wanted}
        ),
    )


def _items(before: list[Any], after: list[Any], shape: Shape) -> _Nodes:
    """Compare the items under one path element; of several the element is one value."""
    if len(before) > 1 or len(after) > 1:
        return _SAME if before == after else _leaf(before or ABSENT, after or ABSENT)
    return _compared(before[0] if before else ABSENT, after[0] if after else ABSENT, shape)


def _gathered(old: Any, new: Any, parts: Iterable[tuple[str, _Nodes]]) -> _Nodes:
    """Put together what was found below; a map or list that came or went is itself in the set (F1)."""
    removed: Fields = {}
    modified: Fields = {}
    added: Fields = {}
    for element, part in parts:
        if part is _SAME:
            continue
        if part.removed is not None:
            removed[element] = part.removed
        if part.modified is not None:
            modified[element] = part.modified
        if part.added is not None:
            added[element] = part.added
    return _Nodes(
        joined(removed, member=new is ABSENT),
        joined(modified, member=False),
        joined(added, member=old is ABSENT),
    )

"""What field ownership has to know of a type: which maps and lists are one value, and what identifies an item.

Compiled from OpenAPI schemas: those of CRDs and those of the native kinds alike (sandbox-apiserver.md F7).
"""

from collections.abc import Callable
from typing import Any, Final

from kubectl_kruise.objects.raw import Raw

ABSENT: Final = object()
"""No value; null is one."""
ATOMIC: Final = "atomic"
UNTYPED: Final = "untyped"
_PRIMITIVES: Final = {"integer": "numeric", "number": "numeric", "boolean": "boolean", "string": "string"}
_PLAIN_TEXT: Final = ("", "byte")
REFERENCE: Final = "#/components/schemas/"


class Shape:
    """One type. More than one of `scalar`, `mapping` and `listing` holds where values of several kinds are taken.

    `scalar` is "", numeric, string, boolean or untyped. `fields` are the declared members of a map, `values` the type
    of all others (None: there are none). `keys` identify an item of a list of maps; a list without keys that is not
    atomic is a set.
    """

    __slots__ = (
        "atomic_list", "atomic_map", "defaults", "fields", "items", "keys", "listing", "mapping", "scalar", "values",
    )  # fmt: skip

    def __init__(self) -> None:
        self.scalar = ""
        self.mapping = self.listing = False
        self.atomic_map = False
        self.atomic_list = True
        self.fields: dict[str, Shape] = {}
        self.values: Shape | None = None
        self.items: Shape | None = None
        self.keys: tuple[str, ...] = ()
        self.defaults: dict[str, Any] = {}

    def field(self, name: str) -> "Shape | None":
        """Give the type of a member of a map; None where the type knows no such member."""
        return self.fields.get(name) or self.values

    def at(self, element: str) -> "Shape | None":
        """Give the type below a path element."""
        return self.field(element[2:]) if element.startswith("f:") else self.items


def kind_of(shape: Shape, value: Any) -> str:
    """Give what a value is treated as: map, list or scalar; "" for nothing, which goes with any."""
    if isinstance(value, dict) and shape.mapping:
        return "map"
    if isinstance(value, list) and shape.listing:
        return "list"
    return "" if value is None or value is ABSENT else "scalar"


def _deduced() -> Shape:
    shape = Shape()
    shape.scalar, shape.mapping, shape.listing = UNTYPED, True, True
    shape.values = shape.items = shape
    return shape


DEDUCED: Final = _deduced()
"""The type of what no schema describes: maps are granular, lists are one value."""

Lookup = Callable[[str], Raw]


class Compiler:
    """Makes shapes of schemas; definitions that are referred to are compiled once."""

    def __init__(self, lookup: Lookup) -> None:
        """Make a compiler; `lookup` gives the schema of a named definition."""
        self._lookup = lookup
        self._named: dict[tuple[str, str], Shape] = {}

    def named(self, definition: str, map_type: str = "") -> Shape:
        """Give the shape of a definition, which may refer to itself; `map_type` is what the referring field says."""
        key = (definition, map_type)
        if key not in self._named:
            shape = self._named[key] = Shape()
            self._fill(shape, self._lookup(definition), preserve=False)
            if map_type:
                shape.atomic_map = map_type == ATOMIC
        return self._named[key]

    def compile(self, schema: Raw, *, preserve: bool = False) -> Shape:
        """Compile a schema; `preserve` where it lies below one that keeps unknown fields."""
        if reference := _reference(schema):
            return self.named(reference, schema.get("x-kubernetes-map-type", ""))
        shape = Shape()
        self._fill(shape, schema, preserve=preserve)
        return shape

    def _fill(self, shape: Shape, schema: Raw, *, preserve: bool) -> None:
        preserve = preserve or schema.get("x-kubernetes-preserve-unknown-fields") is True
        kind = "" if schema.get("x-kubernetes-int-or-string") else schema.get("type", "")
        if kind in _PRIMITIVES:
            plain = kind != "string" or schema.get("format", "") in _PLAIN_TEXT
            shape.scalar = _PRIMITIVES[kind] if plain else UNTYPED
            return
        if kind == "":
            shape.scalar = UNTYPED
        if kind in ("", "object"):
            self._fill_map(shape, schema, preserve=preserve)
        if kind in ("", "array"):
            self._fill_list(shape, schema, preserve=preserve)

    def _fill_map(self, shape: Shape, schema: Raw, *, preserve: bool) -> None:
        shape.mapping = True
        properties = schema.get("properties") or {}
        shape.fields = {name: self.compile(field, preserve=preserve) for name, field in properties.items()}
        shape.defaults = {name: field["default"] for name, field in properties.items() if "default" in field}
        values = schema.get("additionalProperties")
        if values is None:
            shape.values = DEDUCED if preserve or not properties else None
        elif isinstance(values, dict):
            shape.values = self.compile(values, preserve=preserve)
        else:
            shape.values = DEDUCED if values else None
        shape.atomic_map = schema.get("x-kubernetes-map-type") == ATOMIC

    def _fill_list(self, shape: Shape, schema: Raw, *, preserve: bool) -> None:
        shape.listing = True
        items = schema.get("items")
        shape.items = self.compile(items, preserve=preserve) if isinstance(items, dict) else DEDUCED
        list_type = schema.get("x-kubernetes-list-type", "")
        if list_type == "map":
            shape.keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
        elif not list_type and "merge" in schema.get("x-kubernetes-patch-strategy", "").split(","):
            key = schema.get("x-kubernetes-patch-merge-key", "")
            shape.keys = (key,) if key else ()
            list_type = "merge"
        shape.atomic_list = list_type in ("", ATOMIC)


def _reference(schema: Raw) -> str:
    """Give the name of the definition that a schema stands for; it may stand alone in an allOf."""
    alternatives: list[Raw] = schema.get("allOf") or []
    found = schema if "$ref" in schema else alternatives[0] if len(alternatives) == 1 else {}
    return str(found.get("$ref", "")).removeprefix(REFERENCE)

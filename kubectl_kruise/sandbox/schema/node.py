"""A schema compiled once into nodes that decoding, patching and validating walk quickly."""

from typing import Any, Final

NOTHING: Final = object()
"""No default: null is a value a default may have."""


class Node:
    """The structure of one value.

    `kind` is the JSON type, "" where any value will do. An object with neither `properties` nor `values` is free
    form. `drop` and `fill` say what encoding does with zero values (native kinds): left out, or always printed.
    `rules` holds the raw schema of a custom kind for its validation keywords. `alternative` is of a value that is either
    an object of this node or something else.
    """

    __slots__ = (
        "alternative", "default", "defaults_below", "drop", "embedded", "fill", "format", "int_or_string", "items", "keys", "kind", "list_type",
        "merge_key", "merges", "name", "nullable", "preserve", "properties", "quantity", "rules", "values",
    )  # fmt: skip

    def __init__(self, kind: str = "", name: str = "") -> None:
        self.kind, self.name, self.format = kind, name, ""
        self.properties: dict[str, Node] | None = None
        self.values: Node | None = None
        self.items: Node | None = None
        self.preserve = self.int_or_string = self.embedded = self.nullable = self.quantity = False
        self.alternative: Node | None = None
        self.default: Any = NOTHING
        self.defaults_below = False
        self.list_type = ""
        self.keys: tuple[str, ...] = ()
        self.merges = False
        self.merge_key = ""
        self.drop: frozenset[str] = frozenset()
        self.fill: tuple[tuple[str, Any], ...] = ()
        self.rules: dict[str, Any] = {}

    @property
    def free(self) -> bool:
        """Tell whether any content is taken as it comes."""
        return self.properties is None and self.values is None and self.items is None

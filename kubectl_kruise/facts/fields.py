"""The fields of typed objects: their order, JSON names, types, and which empty values are printed.

The table of pod templates and volume claims is data made from the Go types of Kubernetes 1.32
(`scripts/pod_fields.py`). Read lazily: most verbs never need it.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Type(NamedTuple):
    """How a value is read and printed.

    `form` is `struct`, `list`, `map`, or the leaf: `string`, `bool`, `int32`, `int64`, `quantity`, `time`,
    `microTime`, `intOrString`, `bytes`, `raw`. `name` is the Go name, `element` the type inside a list or map.
    """

    form: str
    name: str
    element: "Type | None" = None
    pointer: bool = False


class Field(NamedTuple):
    """`omitempty`: an empty value is left out; structs and leaves that print themselves never count as empty."""

    name: str
    type: Type
    omitempty: bool

    @property
    def always(self) -> bool:
        """Say whether the field is printed whatever its value is."""
        return not self.omitempty or (self.type.form in _PRINTS_ITSELF and not self.type.pointer)


class Struct(NamedTuple):
    """A Go struct: its fields in the order they are printed, their places by name, and those printed when absent."""

    fields: tuple[Field, ...]
    places: Mapping[str, int]
    always: tuple[Field, ...]

    @classmethod
    def of(cls, fields: Iterable[Field]) -> "Struct":
        listed = tuple(fields)
        places = {field.name: place for place, field in enumerate(listed)}
        return cls(listed, places, tuple(field for field in listed if field.always))


Structs = Mapping[str, Struct]
Table = Mapping[str, list[list[str | int]]]
"""Structs as they are written down: lists of `[name, type, omitempty]`."""

_PRINTS_ITSELF = frozenset({"struct", "quantity", "time", "microTime", "intOrString", "raw"})
_LEAVES = frozenset(
    {"string", "bool", "int32", "int64", "quantity", "time", "microTime", "intOrString", "bytes", "raw"}
)


def parse_type(token: str, scalars: Mapping[str, str]) -> Type:
    """Read a type of the table: `*T` pointer, `[]T` list, `{}T` map of strings to T, else a struct or leaf."""
    if token.startswith("*"):
        return parse_type(token[1:], scalars)._replace(pointer=True)
    if token.startswith("[]"):
        return Type("list", token, parse_type(token[2:], scalars))
    if token.startswith("{}"):
        return Type("map", token, parse_type(token[2:], scalars))
    return Type(scalars.get(token) or (token if token in _LEAVES else "struct"), token)


def read_structs(table: Table, scalars: Mapping[str, str]) -> Structs:
    """Read structs as a table writes them."""
    return {
        struct: Struct.of(
            Field(str(name), parse_type(str(token), scalars), bool(omit)) for name, token, omit in fields
        )
        for struct, fields in table.items()
    }


def in_package(table: Table, package: str) -> Table:
    """Give a table whose structs belong to a Go package: `X` becomes `X@package`, but `X@other` stays."""
    own = {name for name in table if "@" not in name}

    def placed(token: str) -> str:
        bare = token.lstrip("*[]{}")
        return f"{token}@{package}" if bare in own else token

    return {
        placed(struct): [[name, placed(str(token)), omit] for name, token, omit in fields]
        for struct, fields in table.items()
    }


@cache
def pod_structs() -> Structs:
    """Give the structs of `PodTemplateSpec` and `PersistentVolumeClaim` by their Go names."""
    table = json.loads(
        Path(__file__).with_name("data").joinpath("pod_fields.json").read_text(encoding="utf-8")
    )
    return read_structs(table["structs"], table["scalars"])

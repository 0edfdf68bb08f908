"""Reading native objects as the Go types do: types checked, unknown fields dropped, zero values normalised."""

import base64
import re
from typing import Any, Final

from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.notation.quantity import FORMAT_MESSAGE, canonical_quantity
from kubectl_kruise.objects.notation.timestamp import canonical_time
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.schema.model import Decoded
from kubectl_kruise.sandbox.schema.node import Node

_INTEGERS: Final = {"int32": 2**31, "int64": 2**63, "": 2**63}
_PYTHON: Final = {"string": str, "boolean": bool, "array": list, "object": dict}
_GO_SCALAR: Final = {"string": "string", "boolean": "bool", "number": "float64"}
_TEXT: Final = Node("string")


class Unreadable(ValueError):  # noqa: N818 - reads as what it says
    """The object does not fit its type; the text is the decoder's."""


def decode(node: Node, obj: Any, *, at: str = "") -> Decoded:
    """Read an object of a native type (N2, N3, N5); `at` names the field it stands in, "" for a whole object."""
    reader = _Reader([at] if at else [])
    try:
        return Decoded(reader.value(node, obj, node.name), tuple(reader.unknown), "")
    except Unreadable as fault:
        return Decoded({}, tuple(reader.unknown), str(fault))


def complete(node: Node, obj: Raw) -> None:
    """Add in place what encoding always prints, down the structs that are added."""
    for key, zero in node.fill:
        if key in obj:
            continue
        field = (node.properties or {})[key]
        obj[key] = zero
        if zero == {} and field.properties is not None:
            obj[key] = {}
            complete(field, obj[key])


class _Reader:
    def __init__(self, trail: list[str | int]) -> None:
        self.trail = trail
        self.unknown: list[str] = []

    def value(self, node: Node, value: Any, owner: str) -> Any:
        """Read one value; `owner` is the struct whose field it is, for the text of a type error."""
        kind = node.kind
        if kind == "object":
            if type(value) is not dict:
                raise self.mismatch(node, value, owner)
            if node.properties is not None:
                return self.struct(node, value)
            if node.values is not None:
                return self.map(node, node.values, value, owner)
            return value
        if kind == "array":
            if type(value) is not list:
                raise self.mismatch(node, value, owner)
            return self.list(node.items, value, owner) if node.items is not None else value
        return self.scalar(node, value, owner)

    def struct(self, node: Node, raw: Raw) -> Raw:
        properties, drop, trail, name = node.properties or {}, node.drop, self.trail, node.name
        out: Raw = {}
        for key, value in raw.items():
            field = properties.get(key)
            if field is None:
                self.unknown.append(dotted([*trail, key]))
            elif value is not None:
                if not (field.kind == "string" and type(value) is str and not field.format):
                    trail.append(key)
                    value = self.value(field, value, name)  # noqa: PLW2901
                    trail.pop()
                if value or value is None or key not in drop:
                    # An empty list is stored as none; where that is printed at all, it is printed as null.
                    out[key] = None if type(value) is list and not value else value
        complete(node, out)
        return out

    def map(self, node: Node, values: Node, raw: Raw, owner: str) -> Raw:
        if values.kind == "string" and not values.format:
            for value in raw.values():
                if type(value) is not str and value is not None:
                    raise self.mismatch(values, value, owner)
            return {key: value or "" for key, value in raw.items()}
        out = {}
        for key, value in raw.items():
            self.trail.append(f"[{key}]" if node.quantity else key)
            out[key] = _zero(values) if value is None else self.value(values, value, owner)
            self.trail.pop()
        return out

    def list(self, items: Node, raw: list[Any], owner: str) -> list[Any]:
        out = []
        for index, value in enumerate(raw):
            self.trail.append(index)
            out.append(self.value(items, _zero(items) if value is None else value, owner))
            self.trail.pop()
        return out

    def scalar(self, node: Node, value: Any, owner: str) -> Any:
        if node.alternative is not None:
            return self.either(node, node.alternative, value, owner)
        if node.quantity:
            return self.quantity(value)
        if node.int_or_string:
            if type(value) not in {int, str}:
                raise self.mismatch(node, value, owner)
            return value
        if node.kind == "integer":
            if type(value) is not int or abs(value) >= _INTEGERS.get(node.format, 2**63):
                raise self.mismatch(node, value, owner)
            return value
        if node.kind == "number":
            if type(value) not in {int, float}:
                raise self.mismatch(node, value, owner)
            return value
        expected = _PYTHON.get(node.kind)
        if expected is not None and type(value) is not expected:
            raise self.mismatch(node, value, owner)
        if node.format == "date-time":
            return _time(value, micro=node.name == "MicroTime")
        return _base64(value) if node.format == "byte" else value

    def either(self, node: Node, schema: Node, value: Any, owner: str) -> Any:
        """Read a part of a CRD's schema that is a schema or something else: nothing is kept of what is neither."""
        if type(value) is dict:
            return self.struct(schema, value)
        if node.name.endswith("OrBool"):
            if type(value) is not bool:
                raise Unreadable("boolean or JSON schema expected")
            return value
        if type(value) is not list:
            return None
        return self.list(_TEXT if node.name.endswith("OrStringArray") else schema, value, owner)

    def quantity(self, value: Any) -> str:
        if type(value) not in {str, int, float}:
            raise Unreadable(FORMAT_MESSAGE)
        try:
            return canonical_quantity(value)
        except ValueError as fault:
            raise Unreadable(str(fault)) from None

    def mismatch(self, node: Node, value: Any, owner: str) -> Unreadable:
        words = ".".join(step for step in self.trail if isinstance(step, str))
        place = f"Go struct field {owner}.{words}" if words else "Go value"
        return Unreadable(f"json: cannot unmarshal {_written(node, value)} into {place} of type {_go(node)}")


def dotted(trail: list[str | int]) -> str:
    """Write a path the way messages show it: `spec.containers[0].name`."""
    text = ""
    for step in trail:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _zero(node: Node) -> Any:
    """Give what a null inside a list or map becomes."""
    if node.quantity:
        return "0"
    if node.int_or_string:
        return 0
    if node.kind == "object":
        return {}
    return {"string": "", "integer": 0, "boolean": False, "number": 0}.get(node.kind, "")


def _written(node: Node, value: Any) -> str:
    kind = json_kind(value)
    return f"number {value}" if kind == "number" and node.kind == "integer" else kind


def _go(node: Node) -> str:
    if node.int_or_string:
        return "int32"
    if node.kind == "integer":
        return node.format or "int64"
    if node.kind == "array":
        return f"[]{_go(node.items)}" if node.items is not None else "[]interface {}"
    if node.kind == "object" and node.values is not None:
        return f"map[string]{_go(node.values)}"
    if node.kind == "object":
        return f"v1.{node.name}" if node.name else "map[string]interface {}"
    return _GO_SCALAR.get(node.kind, "string")


def _time(value: str, *, micro: bool) -> str:
    try:
        return canonical_time(value, micro=micro)
    except ValueError as fault:
        raise Unreadable(str(fault)) from None


def _base64(value: str) -> str:
    try:
        base64.b64decode(value, validate=True)
    except ValueError:  # binascii.Error, too; this one for what is not ASCII
        bad = re.search(r"[^A-Za-z0-9+/=]", value)
        raise Unreadable(f"illegal base64 data at input byte {bad.start() if bad else 0}") from None
    return value

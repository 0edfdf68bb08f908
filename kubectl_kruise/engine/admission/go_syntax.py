"""Values of Go types as Go prints them in its own syntax (`%#v`): so do Kruise's webhooks in their complaints."""

import json
from calendar import month_name
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from kubectl_kruise.facts.fields import Field, Structs, Type, parse_type, pod_structs
from kubectl_kruise.objects.notation.quantity import Notation, parse_quantity
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.objects.typed import go_struct

ADDRESS: Final = "0xc000000000"
"""Stands for wherever the real webhook's memory has a value that a pointer leads to."""
_NANO: Final = 9
_FORMATS: Final = {
    Notation.DECIMAL: "DecimalSI",
    Notation.BINARY: "BinarySI",
    Notation.EXPONENT: "DecimalExponent",
}
_NAMES: Final = {"metadata": "ObjectMeta", "uid": "UID", "apiVersion": "APIVersion", "apiGroup": "APIGroup"}
_TYPE_META: Final = ("kind", "apiVersion")
_KEYS: Final = {"v1.ClaimResourceStatus": "v1.ResourceName"}
"""Maps whose keys have a type of their own, by the type of their values."""


def go_syntax(value: Any, token: str, structs: Structs | None = None) -> str:
    """Print a typed value; `token` is its type in the notation of `facts.fields` (`{}string`, `LabelSelector`).

    `structs` are the structs that the type may consist of, by default those of pods. None is the type's zero value.
    """
    return _Printer(structs or pod_structs()).value(value, parse_type(token, {}))


class _Printer:
    def __init__(self, structs: Structs) -> None:
        self._structs = structs

    def value(self, value: Any, kind: Type) -> str:
        if kind.pointer:
            if kind.form == "time" and value is None:
                return "<nil>"
            return f"(*{_type(kind)})({'nil' if value is None else ADDRESS})"
        match kind.form:
            case "list" | "map" if value is None or kind.element is None:
                return f"{_type(kind)}(nil)"
            case "list":
                return f"{_type(kind)}{{{', '.join(self.value(item, _element(kind)) for item in value)}}}"
            case "map":
                return self._map(value, kind)
            case "struct":
                return self._struct(value or {}, kind.name)
            case _:
                return _leaf(value, kind)

    def _map(self, value: Mapping[str, Any], kind: Type) -> str:
        pairs = (f"{_quoted(key)}:{self.value(value[key], _element(kind))}" for key in sorted(value))
        return f"{_type(kind)}{{{', '.join(pairs)}}}"

    def _struct(self, value: Mapping[str, Any], name: str) -> str:
        fields = self._structs[name].fields
        printed = []
        if tuple(field.name for field in fields[:2]) == _TYPE_META:
            own = ", ".join(self._field(value, field) for field in fields[:2])
            printed.append(f"TypeMeta:v1.TypeMeta{{{own}}}")
            fields = fields[2:]
        printed += [self._field(value, field) for field in fields]
        return f"{go_struct(name)}{{{', '.join(printed)}}}"

    def _field(self, value: Mapping[str, Any], field: Field) -> str:
        name = _NAMES.get(field.name) or field.name[:1].upper() + field.name[1:]
        return f"{name}:{self.value(value.get(field.name), field.type)}"


def _leaf(value: Any, kind: Type) -> str:
    match kind.form:
        case "bool":
            return "true" if value else "false"
        case "int32" | "int64":
            return str(value or 0)
        case "intOrString":
            shape, number, text = (1, 0, value) if isinstance(value, str) else (0, value or 0, "")
            return f"intstr.IntOrString{{Type:{shape}, IntVal:{number}, StrVal:{_quoted(text)}}}"
        case "quantity":
            return _quantity(value)
        case "time" | "microTime":
            return _time(value)
        case _:
            return _quoted(value or "")


def _quantity(value: Any) -> str:
    quantity = parse_quantity(0 if value is None else value)
    scale, amount, exact = quantity.scale, 0, "(*inf.Dec)(nil)"
    if scale is None:
        scale, exact = 0, f"(*inf.Dec)({ADDRESS})"
    else:
        amount = quantity.nanos // 10 ** (scale + _NANO)
    return (
        f"resource.Quantity{{i:resource.int64Amount{{value:{amount}, scale:{scale}}}, "
        f"d:resource.infDecAmount{{Dec:{exact}}}, s:{_quoted(str(quantity))}, "
        f'Format:"{_FORMATS[quantity.notation]}"}}'
    )


def _time(value: Any) -> str:
    seconds = None if value is None else parse_rfc3339(value)
    if seconds is None:
        return "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)"
    at = datetime.fromtimestamp(seconds, UTC)
    rest = f"{at.day}, {at.hour}, {at.minute}, {at.second}, 0"
    return f"time.Date({at.year}, time.{month_name[at.month]}, {rest}, time.Local)"


def _type(kind: Type) -> str:
    """Write a type, without the star of a pointer."""
    match kind.form:
        case "struct":
            return go_struct(kind.name)
        case "list":
            return f"[]{_type(_element(kind))}"
        case "map":
            element = _element(kind)
            if element.form == "quantity":
                return "v1.ResourceList"
            return f"map[{_KEYS.get(element.name, 'string')}]{_type(element)}"
        case "intOrString":
            return "intstr.IntOrString"
        case "time":
            return "v1.Time"
        case "raw":
            return "v1.FieldsV1"
        case _:
            return kind.name.lstrip("*")


def _element(kind: Type) -> Type:
    if kind.element is None:
        raise ValueError(f"{kind.name} has no element type")
    return kind.element


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

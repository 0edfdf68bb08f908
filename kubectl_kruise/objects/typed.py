"""The typed form of an object: what remains of JSON once it went through the Go type and back.

Unknown fields vanish, empty values are left out or printed as the type says, quantities take their one spelling
(cloneset.md §9.1). Webhook and controller of Kruise work on this form only.
"""

from typing import Any, NamedTuple

from kubectl_kruise.facts.fields import Field, Structs, Type, pod_structs
from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.notation.quantity import FORMAT_MESSAGE, canonical_quantity
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339
from kubectl_kruise.objects.raw import Raw

_BITS = {"int32": 31, "int64": 63}
_ZERO = {"string": "", "bool": False, "int32": 0, "int64": 0, "quantity": "0", "intOrString": 0}
_PRINTS_ITSELF = frozenset({"struct", "quantity", "time", "microTime", "intOrString", "raw"})


class TypeMismatchError(ValueError):
    """JSON that does not fit the Go type; the text is that of Go's decoder."""


def typed(raw: Raw | None, struct: str, structs: Structs | None = None) -> Raw:
    """Give the typed form of `raw` with its keys in the order of the Go struct, keys of maps sorted.

    `struct` is a Go name in `structs`, by default the table of pod templates and volume claims. Raises ValueError for
    a bad quantity or time, else TypeMismatchError for the first value (by sorted keys) of a wrong type: as in Go,
    where reading goes on behind a wrong type, but not behind a value that cannot be parsed.
    """
    reader = _Reader(structs or pod_structs(), [])
    read = reader.struct(raw, struct, ())
    if reader.mismatches:
        raise TypeMismatchError(reader.mismatches[0])
    return read


class _Reader(NamedTuple):
    structs: Structs
    mismatches: list[str]

    def struct(self, raw: Any, name: str, path: tuple[str, ...]) -> Raw:
        fields = self.structs[name]
        known = {field.name: field for field in fields}
        raw = raw or {}
        values = {
            key: self.value(raw[key], known[key].type, name, (*path, key))
            for key in sorted(raw)
            if key in known and raw[key] is not None
        }
        printed = ((field.name, values.get(field.name, _ABSENT), field) for field in fields)
        return {
            key: self.zero(field.type) if value is _ABSENT else value
            for key, value, field in printed
            if not (field.omitempty and _empty(value, field))
        }

    def zero(self, kind: Type) -> Any:
        if kind.pointer:
            return None
        return self.struct(None, kind.name, ()) if kind.form == "struct" else _ZERO.get(kind.form)

    def value(self, value: Any, kind: Type, owner: str, path: tuple[str, ...]) -> Any:
        """Read one value that is there; a null inside a list or map is the zero value."""
        if value is None:
            return self.zero(kind)
        if not _fits(value, kind):
            where = f"{owner.partition('@')[0]}.{'.'.join(path)}"
            unread = f"cannot unmarshal {_json_kind(value, kind)} into Go struct field {where}"
            complaint = f"json: {unread} of type {_go_name(kind)}"
            if kind.form == "intOrString":  # parsed by the type itself, like quantities and times
                raise TypeMismatchError(complaint)
            self.mismatches.append(complaint)
            return self.zero(kind)
        match kind.form:
            case "struct":
                return self.struct(value, kind.name, path)
            case "list":
                return [self.value(item, _element(kind), owner, path) for item in value]
            case "map":
                return {key: self.value(value[key], _element(kind), owner, path) for key in sorted(value)}
            case "quantity":
                return _quantity(value)
            case "time":
                return _time(value)
            case _:
                return int(value) if isinstance(value, float) and kind.form != "raw" else value


_ABSENT = object()
_FITTING: dict[str, type] = {"struct": dict, "map": dict, "list": list, "bool": bool}


def _fits(value: Any, kind: Type) -> bool:
    match kind.form:
        case "raw" | "quantity":
            return True
        case "int32" | "int64":
            return _whole(value, kind.form)
        case "intOrString":
            return isinstance(value, str) or _whole(value, "int32")
        case form:
            return isinstance(value, _FITTING.get(form, str))


def _whole(value: Any, form: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return False
    limit = 1 << _BITS[form]
    return -limit <= value < limit


def _element(kind: Type) -> Type:
    if kind.element is None:
        raise ValueError(f"{kind.name} has no element type")
    return kind.element


def _empty(value: Any, field: Field) -> bool:
    if field.type.form in _PRINTS_ITSELF and not field.type.pointer:
        return False
    return value is _ABSENT or (not field.type.pointer and not value)


def _json_kind(value: Any, kind: Type) -> str:
    """Name what was read; the decoder quotes a number only where a number was wanted and this one does not fit."""
    found = json_kind(value)
    wanted = kind.form in _BITS or kind.form == "intOrString"
    return f"number {value}" if found == "number" and wanted else found


def _go_name(kind: Type) -> str:
    match kind.form:
        case "struct":
            return f"v1.{kind.name}"
        case "list":
            return f"[]{_go_name(_element(kind))}"
        case "map":
            element = _element(kind)
            return "v1.ResourceList" if element.form == "quantity" else f"map[string]{_go_name(element)}"
        case "time" | "microTime":
            return "string"
        case "intOrString":
            return "int32"
        case _:
            return kind.name


def _quantity(value: Any) -> str:
    if isinstance(value, bool | list | dict):
        raise ValueError(FORMAT_MESSAGE)  # noqa: TRY004 (the decoder hands it the text of any value)
    return canonical_quantity(value)


def _time(text: str) -> str:
    moment = parse_rfc3339(text)
    if moment is None:
        raise ValueError(
            f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"'
        )
    return rfc3339(moment)

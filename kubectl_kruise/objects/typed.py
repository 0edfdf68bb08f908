"""The typed form of an object: what remains of JSON once it went through the Go type and back.

Unknown fields vanish, empty values are left out or printed as the type says, quantities take their one spelling
(cloneset.md §9.1). Webhook and controller of Kruise work on this form only.
"""

from typing import Any, Final

from kubectl_kruise.facts.fields import Structs, Type, pod_structs
from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.notation.quantity import FORMAT_MESSAGE, canonical_quantity
from kubectl_kruise.objects.notation.timestamp import canonical_time
from kubectl_kruise.objects.raw import Raw

_BITS: Final = {"int32": 31, "int64": 63}
_ZERO: Final = {"string": "", "bool": False, "int32": 0, "int64": 0, "quantity": "0", "intOrString": 0}


class TypeMismatchError(ValueError):
    """JSON that does not fit the Go type; the text is that of Go's decoder."""


def typed(raw: Raw | None, struct: str, structs: Structs | None = None) -> Raw:
    """Give the typed form of `raw` with its keys in the order of the Go struct, keys of maps sorted.

    `struct` is a Go name in `structs`, by default the table of pod templates and volume claims. Raises ValueError for
    a bad quantity or time, else TypeMismatchError for the first value (by sorted keys) of a wrong type: as in Go,
    where reading goes on behind a wrong type, but not behind a value that cannot be parsed.
    """
    reader = _Reader(structs or pod_structs())
    read = reader.struct(raw or {}, struct)
    if reader.mismatches:
        raise TypeMismatchError(reader.mismatches[0])
    return read


class _Reader:
    def __init__(self, structs: Structs) -> None:
        self.structs = structs
        self.mismatches: list[str] = []
        self.path: list[str] = []

    def struct(self, raw: Raw, name: str) -> Raw:
        known = self.structs[name]
        fields, places = known.fields, known.places
        found: Raw = {}
        for key in sorted(raw):
            value = raw[key]
            if value is None or key not in places:
                continue
            field = fields[places[key]]
            if type(value) is not str or field.type.form != "string":
                self.path.append(key)
                value = self.value(value, field.type, name)
                self.path.pop()
            if value or field.type.pointer or field.always:
                found[key] = value
        for field in known.always:
            if field.name not in found:
                found[field.name] = self.zero(field.type)
        return {key: found[key] for key in sorted(found, key=places.__getitem__)}

    def zero(self, kind: Type) -> Any:
        if kind.pointer:
            return None
        return self.struct({}, kind.name) if kind.form == "struct" else _ZERO.get(kind.form)

    def value(self, value: Any, kind: Type, owner: str) -> Any:
        """Read one value that is there; a null inside a list or map is the zero value."""
        if value is None:
            return self.zero(kind)
        if not _fits(value, kind.form):
            return self.mismatch(value, kind, owner)
        match kind.form:
            case "struct":
                return self.struct(value, kind.name)
            case "list":
                return [self.value(item, _element(kind), owner) for item in value]
            case "map":
                return {key: self.value(value[key], _element(kind), owner) for key in sorted(value)}
            case "quantity":
                return _quantity(value)
            case "time":
                return canonical_time(value)
            case _:
                return int(value) if isinstance(value, float) and kind.form != "raw" else value

    def mismatch(self, value: Any, kind: Type, owner: str) -> Any:
        where = f"{owner.partition('@')[0]}.{'.'.join(self.path)}"
        unread = f"cannot unmarshal {_json_kind(value, kind)} into Go struct field {where}"
        complaint = f"json: {unread} of type {_go_name(kind)}"
        if kind.form == "intOrString":  # parsed by the type itself, like quantities and times
            raise TypeMismatchError(complaint)
        self.mismatches.append(complaint)
        return self.zero(kind)


_FITTING: Final[dict[str, type]] = {"struct": dict, "map": dict, "list": list, "bool": bool}


def _fits(value: Any, form: str) -> bool:
    match form:
        case "raw" | "quantity":
            return True
        case "int32" | "int64":
            return _whole(value, form)
        case "intOrString":
            return isinstance(value, str) or _whole(value, "int32")
        case _:
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


def _json_kind(value: Any, kind: Type) -> str:
    """Name what was read; the decoder quotes a number only where a number was wanted and this one does not fit."""
    found = json_kind(value)
    wanted = kind.form in _BITS or kind.form == "intOrString"
    return f"number {value}" if found == "number" and wanted else found


def go_struct(name: str) -> str:
    """Give a struct's name as Go prints it, with its package: `X@pub` is `pub.X`, those of pods belong to `v1`."""
    bare, _, package = name.partition("@")
    return f"{package or 'v1'}.{bare}"


def _go_name(kind: Type) -> str:
    match kind.form:
        case "struct":
            return go_struct(kind.name)
        case "list":
            element = _element(kind)
            return f"[]{'intstr.IntOrString' if element.form == 'intOrString' else _go_name(element)}"
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

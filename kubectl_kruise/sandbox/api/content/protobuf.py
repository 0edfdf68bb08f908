"""Protobuf bodies, which kubectl's typed commands send: `create deployment` and its like (sandbox-apiserver.md T6 to T8).

`protobuf_fields.txt` lists the messages, one a line: `Name = number field:type | …`. No type is a string, `i` an
integer, `b` a bool, `B` bytes, `{T}` a map of T; `[]` is repeated, `*` keeps zero values, `=` too.
"""

import base64
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.objects.raw import Raw

MAGIC: Final = b"k8s\0"
CUT: Final = "unexpected EOF"
SIGN: Final = 1 << 63
_FIELD: Final = re.compile(r"(\d+) (\w+)(?::(\{?)([\w/]+)\}?)?(\[\])?([*=])?")


class UnreadableError(ValueError):
    """A message that holds what the table does not know: nothing is lost in silence (T8)."""


class BrokenError(ValueError):
    """Bytes that are no message; the text is that of Go's decoder."""


class _Field(NamedTuple):
    name: str
    kind: str
    is_map: bool
    repeated: bool
    keeps_zero: bool


def decode_protobuf(body: bytes) -> Raw:
    """Give the object of a body as JSON would have it: absent is absent. Raises UnreadableError and BrokenError."""
    if not body.startswith(MAGIC):
        expected = f"expected prefix [{' '.join(map(str, MAGIC))}]"
        unlike = f"provided data does not appear to be a protobuf message, {expected}"
        raise BrokenError(unlike if body else "empty data")
    envelope = _message(body[len(MAGIC) :], "Unknown")
    meta = envelope.get("typeMeta") or {}
    raw = base64.b64decode(envelope.get("raw") or "")
    api_version, kind = meta.get("apiVersion", ""), meta.get("kind", "")
    return {"apiVersion": api_version, "kind": kind} | _message(raw, kind)


@cache
def _table() -> dict[str, dict[int, _Field]]:
    text = files("kubectl_kruise.sandbox.api.content").joinpath("protobuf_fields.txt").read_text("utf-8")
    found: dict[str, dict[int, _Field]] = {}
    for line in text.splitlines():
        name, _, fields = line.partition(" = ")
        found[name] = {}
        for match in map(_FIELD.fullmatch, fields.split(" | ")):
            if match is None:
                raise ValueError(f"bad field of {name}")
            number, field, brace, kind, repeated, keeps = match.groups()
            found[name][int(number)] = _Field(field, kind or "s", bool(brace), bool(repeated), bool(keeps))
    return found


def _message(data: bytes, kind: str) -> Raw:
    fields = _table().get(kind)
    if fields is None:
        if data:
            raise UnreadableError(f"it holds a {kind}, which is not known")
        return {}
    found: Raw = {}
    for number, value in _fields(data):
        field = fields.get(number)
        if field is None:
            raise UnreadableError(f"it holds field {number} of {kind}, which is not known")
        if field.name == "status":
            continue
        if field.is_map:
            key, inner = _entry(value, field.kind)
            found.setdefault(field.name, {})[key] = inner
        elif field.repeated:
            found.setdefault(field.name, []).append(_value(value, field.kind))
        else:
            inner = _value(value, field.kind)
            if inner is not None and (field.keeps_zero or inner not in ("", 0, False)):
                found[field.name] = inner
    return found


def _entry(data: Any, kind: str) -> tuple[str, Any]:
    parts: dict[int, Any] = dict(_fields(_as_bytes(data)))
    return _as_bytes(parts.get(1, b"")).decode(), _value(parts.get(2, b""), kind)


def _value(value: Any, kind: str) -> Any:
    """Give one value; None for one that stands for nothing at all."""
    match kind:
        case "i":
            return value - 2 * SIGN if value >= SIGN else value
        case "b":
            return bool(value)
        case "s":
            return _as_bytes(value).decode()
        case "B":
            return base64.b64encode(_as_bytes(value)).decode()
        case "Time":
            seconds = dict(_fields(_as_bytes(value))).get(1, 0)
            return _time(seconds) if seconds else None
        case "Quantity":
            return _message(_as_bytes(value), kind).get("string", "0")
        case "IntOrString":
            parts = _message(_as_bytes(value), kind)
            return parts.get("strVal", "") if parts.get("type") else parts.get("intVal")
    return _message(_as_bytes(value), kind)


def _time(seconds: int) -> str:
    try:
        return rfc3339(seconds - 2 * SIGN if seconds >= SIGN else seconds)
    except (ValueError, OverflowError, OSError):
        raise BrokenError("Time.MarshalJSON: year outside of range [0,9999]") from None


def _as_bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise BrokenError("proto: wrong wireType")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Give number and content of each field: an int, or bytes."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        match tag & 7:
            case 0:
                value, position = _varint(data, position)
                yield tag >> 3, value
            case 2:
                size, position = _varint(data, position)
                if position + size > len(data):
                    raise BrokenError(CUT)
                yield tag >> 3, data[position : position + size]
                position += size
            case _:
                raise BrokenError(f"proto: illegal wireType {tag & 7}")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise BrokenError(CUT)

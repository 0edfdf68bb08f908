"""How Go's JSON decoder names values in its messages, and how Go prints them."""

import json
import re
from typing import Any, Final

_TEXT: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_CONSTANT: Final = re.compile(r"(-)?(NaN|Infinity)")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?[eE]\+?\d{3,}")
"""Numbers that Python reads and no 64 bits hold."""


def json_kind(value: Any) -> str:
    """Name the JSON kind of a value as in `cannot unmarshal … into`."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def go_text(value: Any) -> str:
    """Print a value as Go's %v does, the form in which messages show patches."""
    match value:
        case dict():
            return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
        case list():
            return f"[{' '.join(map(go_text, value))}]"
        case None:
            return "<nil>"
        case bool():
            return str(value).lower()
    return str(value)


def json_problem(body: bytes) -> str:
    """Say what is wrong with JSON text in the words of Go's parser."""
    text = body.decode(errors="surrogateescape")
    try:
        json.loads(text)
    except json.JSONDecodeError as fault:
        if fault.pos >= len(text.rstrip()) or fault.msg.startswith("Unterminated string"):
            return "unexpected end of JSON input"
        return f"invalid character {_go_character(text[fault.pos])} {_expectation(fault.msg)}"
    except RecursionError:
        return "invalid character '{' exceeded max depth"
    if number := _NUMBER.search(_TEXT.sub('""', text)):
        return f"json: cannot unmarshal number {number[0]} into Go value of type float64"
    if constant := _CONSTANT.search(_TEXT.sub('""', text)):
        where = "in numeric literal" if constant[1] else "looking for beginning of value"
        return f"invalid character '{constant[2][0]}' {where}"
    return "invalid character in string literal"


def _go_character(character: str) -> str:
    """Quote a character as Go does, which looks at single bytes."""
    sign = chr(character.encode(errors="surrogateescape")[0])
    if sign < " ":
        shown = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(sign, f"\\x{ord(sign):02x}")
        return f"'{shown}'"
    return {"'": r"'\''", '"': "'\"'"}.get(sign, f"'{sign}'")


def _expectation(message: str) -> str:
    if message.startswith("Extra data"):
        return "after top-level value"
    if message.startswith("Expecting ','"):
        return "after object key:value pair"
    if message.startswith("Expecting ':'"):
        return "after object key"
    if message.startswith("Expecting property name"):
        return "looking for beginning of object key string"
    if message.startswith("Invalid control"):
        return "in string literal"
    return "looking for beginning of value"

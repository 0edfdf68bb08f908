"""How Go's JSON decoder names values in its messages, and how Go prints them."""

import json
from typing import Any


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
    text = body.decode(errors="replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as fault:
        if fault.pos >= len(text.rstrip()) or fault.msg.startswith("Unterminated string"):
            return "unexpected end of JSON input"
        return f"invalid character {_go_character(text[fault.pos])} {_expectation(fault.msg)}"
    return "invalid character in string literal"


def _go_character(character: str) -> str:
    shown = json.dumps(character)[1:-1]
    return {"'": r"'\''", '"': "'\"'"}.get(character, f"'{shown}'")


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

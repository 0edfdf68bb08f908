"""How Go's JSON decoder names values in its messages, and how Go prints them."""

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

"""Variables whose values nobody should read from a screen or a log, by what their names promise (cli.md row 56)."""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

HIDDEN: Final = "(hidden)"
CHANGED: Final = "(hidden, changed)"
_PRIVATE: Final = r"(?i)PASS|SECRET|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY"


def private(name: str) -> bool:
    """Say whether the name of a variable promises a secret."""
    return re.search(_PRIVATE, name) is not None


def private_values(value: Any) -> set[tuple[str, str]]:
    """Give names and literal values of the private variables anywhere in a part of an object."""
    return set(_found(value))


def hide_private(value: Any, known: Collection[tuple[str, str]] | None = None) -> Any:
    """Give a part of an object with those values replaced; one that is not among the `known` is told as changed."""
    match value:
        case {"name": str(name), "value": str(text)} if private(name):
            return {**value, "value": HIDDEN if known is None or (name, text) in known else CHANGED}
        case dict():
            return {key: hide_private(inner, known) for key, inner in value.items()}
        case list():
            return [hide_private(item, known) for item in value]
    return value


def _found(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case {"name": str(name), "value": str(text)} if private(name):
            yield name, text
        case dict():
            for inner in value.values():
                yield from _found(inner)
        case list():
            for item in value:
                yield from _found(item)

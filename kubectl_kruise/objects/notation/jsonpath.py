"""JSONPath as kubectl and printer columns use it: fields, indices, slices, `*`, `..` and filters."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Final

Step = Callable[[Any], Iterable[Any]]

_TOKEN: Final = re.compile(
    r"""\.\.(?P<deep>[\w-]+) | (?P<all>\.\*|\.?\[\s*\*\s*\]) | \.(?P<field>(?:\\.|[^\s.,\[\]$@{}\\])+)
        | \.?\[\s*(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\s*\]
        | \.?\[\s*(?P<numbers>-?\d*(?::-?\d*){0,2})\s*\]
        | \.?\[\?\(\s*@(?P<path>[^=!<>\s)]*)\s*(?:(?P<operator>==|!=|<=|>=|<|>)\s*(?P<value>.*?))?\s*\)\]""",
    re.VERBOSE,
)  # fmt: skip


def find(path: str, value: Any) -> list[Any]:
    """Give every value that a path such as `.items[?(@.ready==true)].name` leads to. Raises ValueError."""
    found = [value]
    for step in parse_path(path):
        found = [inner for outer in found for inner in step(outer)]
    return found


@cache
def parse_path(path: str) -> tuple[Step, ...]:
    """Read a path, with or without braces, `$` and first dot. Raises ValueError where it cannot be read."""
    text = path.strip().removeprefix("{").removesuffix("}").lstrip("$@")
    if text and text[0] not in ".[":
        text = f".{text}"
    steps: list[Step] = []
    position = 0
    while position < len(text) and text[position:] != ".":
        found = _TOKEN.match(text, position)
        if found is None or found["numbers"] == "":
            raise ValueError(f"cannot read {text[position:]!r}")
        steps.append(_step(found))
        position = found.end()
    return tuple(steps)


def _step(found: re.Match[str]) -> Step:
    if found["all"]:
        return _everything
    if found["deep"]:
        return _deep(found["deep"])
    if found["numbers"]:
        return _part(found["numbers"])
    if found["path"] is not None:
        return _filter(found["path"], found["operator"], found["value"])
    return _member(found["quoted"] if found["field"] is None else re.sub(r"\\(.)", r"\1", found["field"]))


def _everything(value: Any) -> Iterable[Any]:
    """Give the values of an object, or the items of a list."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _member(field: str) -> Step:
    return lambda value: (value[field],) if isinstance(value, dict) and field in value else ()


def _deep(field: str) -> Step:
    own = _member(field)

    def dive(value: Any) -> Iterator[Any]:
        yield from own(value)
        for inner in _everything(value):
            yield from dive(inner)

    return dive


def _part(text: str) -> Step:
    """Pick one item, or a slice; an index outside the list picks nothing."""
    numbers = [int(number) if number else None for number in text.split(":")]
    first = numbers[0]
    if len(numbers) == 1 and first is not None:
        numbers = [first, first + 1 or None]
    part = slice(*numbers)
    return lambda value: value[part] if isinstance(value, list) else ()


def _filter(path: str, operator: str | None, wanted: str | None) -> Step:
    literal = None if operator is None else _literal(wanted or "")

    def keep(value: Any) -> bool:
        found = find(path, value)
        return bool(found) and (operator is None or _compare(found[0], operator, literal))

    return lambda value: [item for item in value if keep(item)] if isinstance(value, list) else ()


def _literal(text: str) -> Any:
    if len(text) > 1 and text[0] in "'\"" and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1]
    if text in {"true", "false"}:
        return text == "true"
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"cannot read {text!r} in a filter: texts stand in quotes") from None


def _compare(left: Any, operator: str, right: Any) -> bool:
    if operator in {"==", "!="}:
        return (left == right) is (operator == "==")
    if type(left) is not type(right) and not (isinstance(left, int | float) and isinstance(right, float)):
        return False
    return bool({"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator])

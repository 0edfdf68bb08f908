"""The JSONPath subset of printer columns (sandbox-apiserver.md TB5)."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

Step = Callable[[Any], Iterable[Any]]

_TOKEN: Final = re.compile(
    r"""\.(?P<field>(?:\\.|[^.\[\]\\])+) | \[\s*(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\s*\]
        | \[\s*(?P<index>-?\d+)\s*\] | (?P<all>\[\*\]|\.\*)
        | \[\?\(\s*@(?P<path>[^=!<>]*?)\s*(?:(?P<operator>==|!=|<=|>=|<|>)\s*(?P<value>.*?))?\s*\)\]""",
    re.VERBOSE,
)  # fmt: skip


@cache
def compile_path(path: str) -> tuple[Step, ...] | None:
    """Compile a path such as `.status.conditions[?(@.type=="Ready")].status`; None where it cannot be read."""
    text = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if text and text[0] not in ".[":
        text = f".{text}"
    steps: list[Step] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            return None
        steps.append(_step(found))
        position = found.end()
    return tuple(steps)


def find(steps: Iterable[Step], value: Any) -> list[Any]:
    """Give every value the path leads to, in order."""
    found = [value]
    for step in steps:
        found = [inner for outer in found for inner in step(outer)]
    return found


def _step(found: re.Match[str]) -> Step:
    if found["all"]:
        return _everything
    if found["index"] is not None:
        return _at(int(found["index"]))
    if found["path"] is not None:
        return _filter(found["path"], found["operator"], found["value"])
    field = found["quoted"] if found["field"] is None else re.sub(r"\\(.)", r"\1", found["field"])
    return _everything if field == "*" else _member(field)


def _everything(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _member(field: str) -> Step:
    return lambda value: (value[field],) if isinstance(value, dict) and field in value else ()


def _at(index: int) -> Step:
    def pick(value: Any) -> Iterable[Any]:
        return (value[index],) if isinstance(value, list) and -len(value) <= index < len(value) else ()

    return pick


def _filter(path: str, operator: str | None, wanted: str | None) -> Step:
    steps = compile_path(path) or ()
    literal = _literal(wanted or "")

    def keep(value: Any) -> bool:
        found = find(steps, value)
        return bool(found) and (operator is None or _compare(found[0], operator, literal))

    return lambda value: [item for item in value if keep(item)] if isinstance(value, list) else ()


def _literal(text: str) -> Any:
    if text[:1] in {"'", '"'}:
        return text[1:-1]
    if text in {"true", "false"}:
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _compare(left: Any, operator: str, right: Any) -> bool:
    if operator in {"==", "!="}:
        return (left == right) is (operator == "==")
    if type(left) is not type(right) and not (isinstance(left, int | float) and isinstance(right, float)):
        return False
    return bool({"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator])

"""JSON pointers (RFC 6901): the paths of JSON Patch operations."""

from collections.abc import Sequence
from typing import Any

from kubectl_kruise.objects.raw import dig


def pointer(path: Sequence[str | int]) -> str:
    """Write a pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def parse_pointer(text: str) -> tuple[str, ...]:
    """Give the steps of a pointer, list indices as text; () for the whole document."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def value_at(document: Any, path: Sequence[str]) -> Any:
    """Give what stands at the steps of a pointer, None where nothing does."""
    value: Any = document
    for part in path:
        value = dig(value, [int(part) if part.isdigit() and isinstance(value, list) else part])
    return value


def named_path(document: Any, path: Sequence[str]) -> str:
    """Write a path with the names of list items instead of their numbers: `spec.containers[app].image`."""
    text = ""
    for depth, part in enumerate(path):
        if part.isdigit() and isinstance(value_at(document, path[:depth]), list):
            name = dig(value_at(document, path[: depth + 1]), ("name",), part)
            text += f"[{name}]"
        else:
            text += f".{part}"
    return text.removeprefix(".")

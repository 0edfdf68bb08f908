"""JSON pointers (RFC 6901): the paths of JSON Patch operations."""

from collections.abc import Sequence


def pointer(path: Sequence[str | int]) -> str:
    """Write a pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def parse_pointer(text: str) -> tuple[str, ...]:
    """Give the steps of a pointer, list indices as text; () for the whole document."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])

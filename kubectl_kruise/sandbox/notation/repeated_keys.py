"""Keys that stand twice in one object, which parsers drop without a word and field validation asks for (sandbox-apiserver.md N3)."""

import json
import re
from typing import Any, Final

_KEY: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*:')


def repeated_keys(found: Any, text: bytes) -> tuple[str, ...]:
    """Give the paths of keys that stand more than once in JSON text, of which `found` was parsed."""
    # Parsing once more in pure Python costs ten times the first pass: only where a key can stand twice at all.
    if _count_keys(found) == len(_KEY.findall(text)):
        return ()
    reader = _Reader()
    reader.walk(json.loads(text, object_pairs_hook=_Pairs), "")
    return tuple(reader.paths)


def _count_keys(value: Any) -> int:
    count, reached = 0, [value]
    for inner in reached:  # which grows meanwhile: the containers of a container are reached through it
        if isinstance(inner, dict):
            count += len(inner)
            reached += inner.values()
        elif isinstance(inner, list):
            reached += inner
    return count


class _Reader:
    def __init__(self) -> None:
        self.paths: list[str] = []

    def walk(self, value: Any, path: str) -> None:
        if isinstance(value, _Pairs):
            seen = set()
            for key, inner in value.pairs:
                here = f"{path}.{key}" if path else key
                if key in seen:
                    self.paths.append(here)
                seen.add(key)
                self.walk(inner, here)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self.walk(inner, f"{path}[{index}]")


class _Pairs:
    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs

"""What became of the fields of an object that was converted: kept, changed, dropped, and why (migration.md §7)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_kruise.objects.raw import Raw


class Fate(NamedTuple):
    """What was done to the field at `path` (`spec.strategy.type`), and why, in a few words."""

    path: str
    why: str


class Remark(NamedTuple):
    """Something to know that no single field shows; `code` as in migration.md (`W-ROUND`)."""

    code: str
    text: str


class Conversion(NamedTuple):
    """The converted object and the report: `kept` counts the values that stay as they were, wherever they sit now."""

    obj: Raw
    kept: int = 0
    changed: tuple[Fate, ...] = ()
    dropped: tuple[Fate, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Fates:
    """Gathers the report while an object is converted."""

    def __init__(self) -> None:
        self._kept = 0
        self._changed: list[Fate] = []
        self._dropped: list[Fate] = []
        self._remarks: list[Remark] = []

    def keep(self, value: Any) -> Any:
        """Count the values below `value` as kept, none for an absent one, and give it back."""
        self._kept += 0 if value is None else sum(1 for _ in _leaves(value))
        return value

    def change(self, path: str, why: str) -> None:
        self._changed.append(Fate(path, why))

    def drop(self, path: str, why: str) -> None:
        self._dropped.append(Fate(path, why))

    def remark(self, code: str, text: str) -> None:
        self._remarks.append(Remark(code, text))

    def conversion(self, obj: Raw) -> Conversion:
        return Conversion(obj, self._kept, tuple(self._changed), tuple(self._dropped), tuple(self._remarks))


def _leaves(value: Any) -> Iterator[Any]:
    """Go through the values of a tree that are no containers; an empty container is a value too."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not inner:
        yield value
    for each in inner:
        yield from _leaves(each)

"""What changed from one template to the next, named as people name it: container, image, variable (cli.md §4.5)."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.secrets import HIDDEN, hide_private, private

_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_NAMED: Final = {"env": "name", "volumes": "name", "volumeMounts": "mountPath", "ports": "containerPort"}
_BRIEF: Final = 60


class Delta(NamedTuple):
    """One field: `path` starts below the template, items of lists stand by their names.

    `before` and `after` are None where the field was absent. `in_place` tells whether this alone can be done without
    recreating the pod (cloneset.md §16.2).
    """

    path: tuple[str, ...]
    before: Any
    after: Any

    @property
    def container(self) -> str:
        return self.path[2] if len(self.path) > 2 and self.path[1] in _CONTAINERS else ""

    @property
    def in_place(self) -> bool:
        if self.path[0] == "metadata":
            return True
        image = self.path[1:2] == ("containers",) and self.path[3:] == ("image",)
        return image and self.before is not None and self.after is not None

    @property
    def secret(self) -> bool:
        """Tell whether this is the value of a variable whose name says that nobody should read it."""
        return self.path[3:4] == ("env",) and len(self.path) > 4 and private(self.path[4])

    @property
    def shown(self) -> tuple[Any, Any]:
        """Both sides without secrets; None stays None."""
        if self.secret:
            return self.before and HIDDEN, self.after and HIDDEN
        return hide_private(self.before), hide_private(self.after)

    def values(self, absent: str) -> tuple[str, str]:
        """Write both sides on one line each: text as it stands, all else as JSON, secrets not at all."""
        before, after = self.shown
        return _written(before, absent), _written(after, absent)

    def text(self) -> str:
        """Write the change for one line: `spec.containers[app].image web:1 → web:2`."""
        before, after = (side if len(side) <= _BRIEF else f"{side[:_BRIEF]}…" for side in self.values("–"))
        return f"{self.location} {before} → {after}"

    @property
    def location(self) -> str:
        """`spec.containers[app].image`."""
        text = ""
        previous = ""
        for step in self.path:
            listed = previous in _CONTAINERS or previous in _NAMED or step.isdigit()
            text += f"[{step}]" if listed else f".{step}" if text else step
            previous = "" if listed else step
        return text


def _written(value: Any, absent: str) -> str:
    if value is None:
        return absent
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def template_deltas(before: Raw, after: Raw) -> list[Delta]:
    """List the fields that differ between two templates, in the order of the new one, removed ones last."""
    return list(_compare(before, after, ()))


def _compare(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[Delta]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*after, *(key for key in before if key not in after)]:
            yield from _compare(before.get(key), after.get(key), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and before != after:
        yield from _compare_lists(before, after, path)
    elif before != after:
        yield from _opened(Delta(path, before, after))


def _compare_lists(before: list[Any], after: list[Any], path: tuple[str, ...]) -> Iterator[Delta]:
    key = "name" if path[-1] in _CONTAINERS else _NAMED.get(path[-1], "")
    if not key or not all(isinstance(item, dict) and key in item for item in (*before, *after)):
        yield Delta(path, before, after)
        return
    old = {str(item[key]): item for item in before}
    new = {str(item[key]): item for item in after}
    if len(old) != len(before) or len(new) != len(after) or (list(old) != list(new) and old == new):
        yield Delta(path, before, after)  # repeated names, or only another order
        return
    for name in [*new, *(name for name in old if name not in new)]:
        if name in old and name in new:
            yield from _compare(old[name], new[name], (*path, name))
        else:
            yield Delta((*path, name), old.get(name), new.get(name))


def _opened(delta: Delta) -> Iterator[Delta]:
    """Split a map that came or went as a whole into its entries, so that every label and limit has its own line."""
    inner = delta.after if delta.before is None else delta.before if delta.after is None else None
    if (
        not isinstance(inner, dict)
        or not inner
        or any(isinstance(value, dict | list) for value in inner.values())
    ):
        named = delta.path[-1] in _NAMED or delta.path[-1] in _CONTAINERS
        if not (named and isinstance(inner, list)):
            yield delta
            return
        old, new = (inner, []) if delta.after is None else ([], inner)
        yield from _compare_lists(old, new, delta.path)
        return
    for key, value in inner.items():
        pair = (None, value) if delta.before is None else (value, None)
        yield Delta((*delta.path, key), *pair)

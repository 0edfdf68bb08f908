"""JSON patch (RFC 6902) with the liberties the API server takes (sandbox-apiserver.md P3).

It replaces members that are missing, copies and tests missing ones as null, counts negative indices from the end and
skips what stands before the first slash of a path. No library does; and here only the containers on the path of an
operation are copied.
"""

from http import HTTPStatus
from typing import Any, Final

import orjson

from kubectl_kruise.objects.notation.pointer import parse_pointer
from kubectl_kruise.sandbox.patches.errors import PatchError, rejected, undecodable

LIMIT: Final = 10_000
LARGEST_COPIES: Final = 3 * 1024 * 1024
_LONGEST_INDEX: Final = 18


def json_patch(document: Any, operations: Any) -> Any:
    """Apply operations in order and give the new document; the old one is untouched.

    Raises PatchError: 400 for a body of the wrong shape, 413 above 10,000 operations, 422 when one cannot be applied.
    """
    if not isinstance(operations, list):
        raise undecodable(operations, "[]handlers.jsonPatchOp")
    for operation in operations:
        if not isinstance(operation, dict):
            raise undecodable(operation, "handlers.jsonPatchOp")
    if len(operations) > LIMIT:
        text = f"The allowed maximum operations in a JSON patch is {LIMIT}, got {len(operations)}"
        raise PatchError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RequestEntityTooLarge", f"Request entity too large: {text}"
        )
    patched = _Document(document)
    for operation in operations:
        patched.apply(operation)
    return patched.root


class _Document:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.fresh: set[int] = set()
        self.keep: list[Any] = []  # keeps copies alive, so that their ids stay unique
        self.copied = 0

    def apply(self, operation: dict[str, Any]) -> None:
        path = operation.get("path")
        if not isinstance(path, str):
            raise rejected()
        steps = list(parse_pointer(path))
        match operation.get("op"):
            case "add":
                self.put(steps, operation.get("value"), insert=True)
            case "replace":
                self.put(steps, operation.get("value"), insert=False)
            case "remove":
                self.take(steps)
            case "move":
                self.put(steps, self.take(_source(operation)), insert=True)
            case "copy":
                self.put(steps, self.copy(self.read(_source(operation))), insert=True)
            case "test":
                if not _same(self.read(steps), operation.get("value")):
                    raise rejected()
            case _:
                raise rejected()

    def copy(self, value: Any) -> Any:
        """Give a copy that shares nothing; together they may not grow beyond what a request may bring."""
        text = orjson.dumps(value)
        self.copied += len(text)
        if self.copied > LARGEST_COPIES:
            raise rejected()
        return orjson.loads(text)

    def read(self, steps: list[str]) -> Any:
        """Give the value at a path, None where its last step is missing."""
        if not steps:
            return self.root
        parent = self.root
        for step in steps[:-1]:
            parent = _child(parent, step)
        if isinstance(parent, dict):
            return parent.get(steps[-1])
        return parent[_index(parent, steps[-1])] if isinstance(parent, list) else None

    def put(self, steps: list[str], value: Any, *, insert: bool) -> None:
        if not steps:
            self.root = value
            return
        parent, last = self.parent(steps), steps[-1]
        if isinstance(parent, dict):
            parent[last] = value
        elif insert:
            parent.insert(_slot(parent, last), value)
        else:
            parent[_index(parent, last)] = value

    def take(self, steps: list[str]) -> Any:
        parent = self.parent(steps) if steps else None
        if isinstance(parent, dict) and steps[-1] in parent:
            return parent.pop(steps[-1])
        if isinstance(parent, list):
            return parent.pop(_index(parent, steps[-1]))
        raise rejected()

    def parent(self, steps: list[str]) -> Any:
        """Give the container that holds the last step, copied along the way."""
        self.root = here = self.own(self.root)
        for step in steps[:-1]:
            child = self.own(_child(here, step))
            here[step if isinstance(here, dict) else _index(here, step)] = child
            here = child
        return here

    def own(self, container: Any) -> Any:
        if id(container) in self.fresh:
            return container
        if not isinstance(container, dict | list):
            raise rejected()
        copy = container.copy()
        self.fresh.add(id(copy))
        self.keep.append(copy)
        return copy


def _source(operation: dict[str, Any]) -> list[str]:
    path = operation.get("from")
    if not isinstance(path, str):
        raise rejected()
    return list(parse_pointer(path))


def _child(parent: Any, step: str) -> Any:
    if isinstance(parent, dict) and parent.get(step) is not None:
        return parent[step]
    if isinstance(parent, list):
        return parent[_index(parent, step)]
    raise rejected()


def _index(items: list[Any], step: str) -> int:
    number = _number(step)
    if not -len(items) <= number < len(items):
        raise rejected()
    return number


def _slot(items: list[Any], step: str) -> int:
    """Give where to insert; -1 stands behind the last item."""
    if step == "-":
        return len(items)
    number = _number(step)
    if number < 0:
        number += len(items) + 1
    if not 0 <= number <= len(items):
        raise rejected()
    return number


def _number(step: str) -> int:
    if not step.removeprefix("-").isdecimal() or not step.isascii() or len(step) > _LONGEST_INDEX:
        raise rejected()
    return int(step)


def _same(left: Any, right: Any) -> bool:
    """Compare as JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)

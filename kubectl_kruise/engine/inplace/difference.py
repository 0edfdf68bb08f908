"""What changed between two revisions, as JSON Patch operations without any cleverness (cloneset.md §16.1)."""

from typing import Any, NamedTuple

from kubectl_kruise.objects.raw import Raw

_TEMPLATE = ("spec", "template")


class Operation(NamedTuple):
    """`path` is split and unescaped; in a diff of revision data it starts below `spec.template`."""

    op: str
    path: tuple[str, ...]
    value: Any = None


def difference(old: Any, new: Any) -> list[Operation]:
    """List what turns `old` into `new`: objects key by key, arrays index by index."""
    return _difference(old, new, ())


def template_difference(old: Raw, new: Raw) -> list[Operation]:
    """Diff the `data` of two revisions; paths start below the template."""
    return [
        found._replace(path=found.path[2:]) if found.path[:2] == _TEMPLATE else found
        for found in difference(old, new)
    ]


def about_metadata(operation: Operation) -> bool:
    """Say whether an operation on a template touches labels or annotations, which never needs a new pod (§16.2)."""
    return operation.path[:1] == ("metadata",) and len(operation.path) > 1


def replaces_image(operation: Operation) -> bool:
    """Say whether an operation on a template gives another image to a container that it has already (§16.2)."""
    match operation:
        case Operation("replace", ("spec", "containers", _, "image"), str()):
            return True
    return False


def _difference(old: Any, new: Any, path: tuple[str, ...]) -> list[Operation]:
    if isinstance(old, dict) and isinstance(new, dict):
        return _objects(old, new, path)
    if isinstance(old, list) and isinstance(new, list):
        return _arrays(old, new, path)
    if type(old) is type(new) and old == new:
        return []
    return [Operation("add" if old is None else "replace", path, new)]


def _objects(old: Raw, new: Raw, path: tuple[str, ...]) -> list[Operation]:
    found = [Operation("remove", (*path, key)) for key in old if key not in new]
    for key, value in new.items():
        here = (*path, key)
        found += _difference(old[key], value, here) if key in old else [Operation("add", here, value)]
    return found


def _arrays(old: list[Any], new: list[Any], path: tuple[str, ...]) -> list[Operation]:
    found: list[Operation] = []
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        found += _difference(before, after, (*path, str(index)))
    shared = min(len(old), len(new))
    found += [Operation("remove", (*path, str(index))) for index in range(shared, len(old))]
    found += [Operation("add", (*path, str(index)), new[index]) for index in range(shared, len(new))]
    return found

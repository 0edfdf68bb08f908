"""What a planner answers: a change with its patch, or that nothing is to be done.

A planner is a pure function `plan_x(live, …) -> Change | Unchanged`; it raises RefusedError or UsageError for what must
not be written. The patch is JSON Patch with `test` operations on what the decision rests on, so that a race fails
instead of being overwritten, and a busy status writer does not matter.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from kubectl_kruise.facts.kinds import Path
from kubectl_kruise.objects.notation.pointer import parse_pointer, pointer
from kubectl_kruise.objects.raw import Raw, dig, uid_of, version_of


class Risk(StrEnum):
    """What a person is asked about first (cli.md §3.8)."""

    NONE = ""
    SHRINKS = "removes pods"
    DELETES = "deletes pods"


class Change(NamedTuple):
    """`did` completes the success line (`paused`); `notes` explain, `warnings` warn, both one line each.

    `deltas` say in words what the patch does to fields, for where no plan shows them. `mode` says how pods get it:
    `update in place`, `recreate pods`, or "" where no pod changes for it.
    """

    did: str
    operations: list[Raw]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    risk: Risk = Risk.NONE
    subresource: str = ""
    mode: str = ""
    deltas: tuple[str, ...] = ()


class Unchanged(NamedTuple):
    """`why` is a note such as `already paused`."""

    why: str


Decision = Change | Unchanged


def same_object(live: Raw) -> list[Raw]:
    """Guard against an object that was deleted and made anew under the same name."""
    return [{"op": "test", "path": "/metadata/uid", "value": uid_of(live)}]


def same_version(live: Raw) -> list[Raw]:
    """Guard by resourceVersion: the server answers 409 if the object changed at all.

    For decisions on something absent, which `test` cannot express.
    """
    return [{"op": "replace", "path": "/metadata/resourceVersion", "value": version_of(live)}]


def set_field(live: Raw, path: Path, value: Any) -> list[Raw]:
    """Set one field, guarded by its old value; parents are made where they are absent."""
    old = dig(live, path)
    if old is not None:
        at = pointer(path)
        return [{"op": "test", "path": at, "value": old}, {"op": "replace", "path": at, "value": value}]
    depth = next(depth for depth in range(1, len(path) + 1) if dig(live, path[:depth]) is None)
    for step in reversed(path[depth:]):
        value = {step: value}
    add = {"op": "add", "path": pointer(path[:depth]), "value": value}
    # A parent made here would replace one that somebody else made meanwhile; a lone leaf would not.
    return [add] if depth == len(path) else [*same_version(live), add]


def remove_field(live: Raw, path: Path) -> list[Raw]:
    """Remove one field that is there, guarded by its old value."""
    at = pointer(path)
    return [{"op": "test", "path": at, "value": dig(live, path)}, {"op": "remove", "path": at}]


def lost_fields(operations: Sequence[Raw], answer: Raw) -> list[str]:
    """Give the plain values of a patch that the server's answer does not show: it accepted and dropped them.

    A false or empty value may be left out, and a webhook may write another one. Fields below metadata are the
    server's to keep or to fill.
    """
    lost = []
    for step in operations:
        value = step.get("value")
        path = list(parse_pointer(step["path"]))
        if step["op"] not in ("add", "replace") or path[0] == "metadata":
            continue
        while isinstance(value, dict) and len(value) == 1:
            (key, value), *_ = value.items()
            path.append(key)
        steps = [int(part) if part.isdigit() else part for part in path]
        if value and isinstance(value, str | int) and dig(answer, steps) is None:
            lost.append(".".join(path))
    return lost

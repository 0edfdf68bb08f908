"""The screen of a dry run: what would change, how it would run, what to mind (cli.md §4.2)."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.engine.changes.change import Change
from kubectl_kruise.engine.inplace.difference import Operation, difference
from kubectl_kruise.objects.notation.pointer import named_path, parse_pointer, value_at
from kubectl_kruise.objects.notation.reference import kind_of
from kubectl_kruise.objects.raw import Raw, name_of
from kubectl_kruise.objects.secrets import hide_private, private_values

_RIGHT: Final = 68
"""Column of what stands on the right: context, and how pods are updated."""
_LONGEST: Final = 80


class Planned(NamedTuple):
    """One object that would change, as it is now."""

    live: Raw
    change: Change


def plan_view(doing: str, planned: Sequence[Planned], *, where: str, server: bool) -> list[str]:
    """Give the lines of a plan; `where` names context and namespace, `server` says who judged the dry run."""
    head = f"Plan: {doing}"
    lines = [f"{head:<{_RIGHT}} {where}".rstrip(), ""]
    for live, change in planned:
        shown = hide_private(live)
        known = kind_of(str(live.get("apiVersion") or ""), str(live.get("kind") or ""))
        title = f"~ {known.kind.called if known else live.get('kind')} {name_of(live)}"
        lines.append(f"  {title:<{_RIGHT - 2}} {change.mode}".rstrip())
        for operation in changed_fields(live, change):
            lines += [f"      {named_path(shown, operation.path)}", *_values(shown, operation)]
        lines.append("")
    for title, texts in (
        ("How it will run", [text for _, change in planned for text in change.notes]),
        ("Notes", [f"! {text}" for _, change in planned for text in change.warnings]),
    ):
        if texts:
            lines += [f"  {title}", *(f"    {text}" for text in dict.fromkeys(texts)), ""]
    lines.append(f"Plan: {len(planned)} to change, 0 to create, 0 to delete.")
    judged = "Server accepted the dry run." if server else "Nothing was sent to the server."
    lines.append(f"{judged} Apply without --dry-run.")
    return lines


def changed_fields(live: Raw, change: Change) -> list[Operation]:
    """List what the patch changes, field by field, without its guards and without secrets."""
    found: list[Operation] = []
    known, live = private_values(live), hide_private(live)
    for step in change.operations:
        path = parse_pointer(step["path"])
        if step["op"] == "test":
            continue
        if step["op"] == "remove":
            found.append(Operation("remove", path))
            continue
        inner = difference(value_at(live, path), hide_private(step["value"], known))
        found += [
            each._replace(path=(*path, *each.path))
            for each in inner
            if each.op != "remove" or value_at(live, (*path, *each.path)) is not None
        ]
    return found


def _values(live: Raw, operation: Operation) -> list[str]:
    old = value_at(live, operation.path)
    lines = [] if old is None else [f"        - {_short(old)}"]
    return lines if operation.op == "remove" else [*lines, f"        + {_short(operation.value)}"]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

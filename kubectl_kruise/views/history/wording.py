"""Changes between two revisions in a few words: `app 1.8.1 → 1.8.2, env LOG_LEVEL`."""

from typing import Final

from kubectl_kruise.engine.revisions.delta import Delta
from kubectl_kruise.engine.revisions.timeline import Entry
from kubectl_kruise.facts.names import RESTARTED_AT
from kubectl_kruise.views.text import Symbols, image_change

FIRST: Final = "first"
_MOST: Final = 4


def change_text(entry: Entry, signs: Symbols) -> str:
    """Say in one cell what a revision changed; at most four things, then how many more."""
    deltas = entry.deltas
    if deltas is None:  # revisions below it may have been trimmed
        return FIRST if entry.revision.number == 1 else signs.dash
    words = list(dict.fromkeys(_word(delta, f" {signs.arrow} ") for delta in deltas))
    more = [f"{len(words) - _MOST} more"] if len(words) > _MOST else []
    return ", ".join([*words[:_MOST], *more]) or "nothing"


def _word(delta: Delta, arrow: str) -> str:
    if delta.container:
        return _container_word(delta, arrow)
    section, *rest = delta.path
    if section == "metadata":
        if RESTARTED_AT in rest:
            return "restarted"
        return f"{rest[0].removesuffix('s')} {' '.join(rest[1:])}".rstrip()
    if rest[:1] == ["volumes"] and len(rest) > 1:
        return f"volume {rest[1]}"
    return ".".join(rest)


def _container_word(delta: Delta, arrow: str) -> str:
    name, field = delta.container, delta.path[3:]
    match field:
        case ():
            return f"container {name} {'added' if delta.before is None else 'removed'}"
        case ("image",) if delta.before and delta.after:
            return f"{name} {image_change(delta.before, delta.after, arrow)}"
        case ("env", variable, *_):
            return f"env {variable}"
        case ("resources", _, resource):
            return f"resources {name} {resource} {arrow.join(delta.values('none'))}"
        case _:
            return f"{name} {field[0]}"

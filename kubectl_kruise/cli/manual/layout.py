"""Lay out help texts: paragraphs of one width and two-column lists."""

import textwrap
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 100
_NAME_MAX: Final = 34


def paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH, break_on_hyphens=False, break_long_words=False)


def pairs(rows: Sequence[tuple[str, str]], *, indent: int = 4) -> str:
    """Set names left and texts right; a name that is too long gets a line of its own."""
    column = min(max((len(name) for name, _ in rows), default=0), _NAME_MAX) + indent + 2
    lines: list[str] = []
    for name, text in rows:
        first = f"{'':{indent}}{name}"
        wrapped = textwrap.wrap(text, WIDTH - column, break_on_hyphens=False, break_long_words=False) or [""]
        if len(first) + 2 > column:
            lines.append(first)
        else:
            wrapped[0], first = f"{first:<{column}}{wrapped[0]}", ""
            lines.append(wrapped.pop(0).rstrip())
        lines += [f"{'':{column}}{line}".rstrip() for line in wrapped if line]
    return "\n".join(lines)

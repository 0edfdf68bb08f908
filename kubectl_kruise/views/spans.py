"""Lines of a screen as styled pieces: content and spacing are decided in views, colours by the renderer."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

GOOD: Final = "good"
BAD: Final = "bad"
BUSY: Final = "busy"
FAINT: Final = "faint"
STRONG: Final = "strong"

NARROWEST: Final = 20
"""Columns below which a command is not broken any further."""


class Span(NamedTuple):
    """`style` is one of this module's names, "" for plain text."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def plain(lines: Sequence[Line]) -> str:
    """Give the text of a screen, without styles and without blanks at line ends."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def clip_line(line: Line, width: int, more: str) -> Line:
    """Cut a line to a width, with a mark where something is missing."""
    if sum(len(span.text) for span in line) <= width:
        return line
    left = max(0, width - len(more))
    kept: list[Span] = []
    for span in line:
        kept.append(Span(span.text[:left], span.style))
        left -= len(span.text)
        if left <= 0:
            break
    return (*kept, Span(more, FAINT))


def wrap_line(line: Line, width: int, indent: str = "  ") -> list[Line]:
    """Break a line between words where it is longer than the width; the rest is indented."""
    lines: list[list[Span]] = [[]]
    used = 0
    for span in line:
        for word in re.findall(r"\s*\S+\s*$|\s*\S+|\s+", span.text):
            if used and used + len(word) > width:
                lines.append([Span(indent)])
                used, word = len(indent), word.lstrip()  # noqa: PLW2901 (blanks at a break go)
            lines[-1].append(Span(word, span.style))
            used += len(word)
    return [tuple(found) for found in lines]


def shell_lines(lead: str, command: str, width: int, style: str = "") -> list[Line]:
    """Write a command behind `lead`, broken with backslashes where it is too long: what is copied still runs."""
    indent = " " * 4
    lines: list[Line] = []
    left = lead + command
    while len(left) > max(width, NARROWEST):
        room = max(width, NARROWEST) - 1
        blank = left.rfind(" ", len(indent), room)
        cut = room if blank < 0 else blank + 1
        lines.append((Span(left[:cut] + "\\", style),))
        # Blanks in front would part a word that is broken in its middle.
        left = (indent if blank >= 0 else "") + left[cut:]
    return [*lines, (Span(left, style),)]


def columns(rows: Sequence[Sequence[Span]], *, right: Sequence[int] = (), gap: int = 2) -> list[Line]:
    """Align rows in columns; those in `right` by their right edge."""
    widths = [max(len(cell.text) for cell in column) for column in zip(*rows, strict=True)]
    return [
        tuple(
            Span(
                cell.text.rjust(width) + " " * gap
                if at in right
                else cell.text.ljust(width + gap)
                if at < len(widths) - 1
                else cell.text,
                cell.style,
            )
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]

"""Styled lines as rich text."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, STRONG, Line

STYLES: Final = {GOOD: "green", BAD: "red", BUSY: "yellow", FAINT: "dim", STRONG: "bold"}


def rich_text(lines: Sequence[Line], *, color: bool = True) -> Text:
    """Give a screen as one text that is neither wrapped nor cut."""
    text = Text(no_wrap=True, overflow="ignore", end="")
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        for span in line:
            text.append(span.text, STYLES.get(span.style, "") if color else "")
    return text

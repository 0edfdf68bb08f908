"""Styled lines as text with colour codes, where a whole rich console would cost more than the answer."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.views.spans import BAD, BUSY, FAINT, GOOD, STRONG, Line, plain

CODES: Final = {GOOD: "32", BAD: "31", BUSY: "33", FAINT: "2", STRONG: "1"}


def paint(lines: Sequence[Line], *, color: bool) -> str:
    """Give the text of a screen, with colours where they are wanted."""
    if not color:
        return plain(lines)
    return "".join("".join(_paint(span.text, span.style) for span in line).rstrip() + "\n" for line in lines)


def _paint(text: str, style: str) -> str:
    code = CODES.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text

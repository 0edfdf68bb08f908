"""The YAML that kubectl and cluster installers write, read without loading PyYAML.

Loading PyYAML takes a fifth of the time of a whole one-object command. Only block mappings and lists of simple scalars
are read here; at the first sign of anything else the reader declines and the library does it. Tests hold both equal.
"""

import re
from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw

# Words that YAML 1.1 takes for something else than text; as such only the two of kubectl's own hand are read.
RESERVED: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
WORDS: Final = {"true": True, "false": False, "null": None, '""': "", "''": ""}

_PAIR = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?: +(\S.*))?", re.ASCII)
_QUOTED = re.compile(r"""\"[^"\\]*\"|'[^']*'""")
# A letter or slash first: no number, date or indicator begins so. One or two dashes before it: command line options.
_PLAIN = re.compile(r"-{0,2}[A-Za-z/][A-Za-z0-9_./:@=+-]*", re.ASCII)


class _Declined(Exception):  # noqa: N818 - no error: the library is asked instead
    pass


class _Line(NamedTuple):
    indent: int
    text: str


def read_plain(text: str) -> Raw | None:
    """Give the mapping that `text` is, None where that takes a real YAML parser."""
    try:
        lines = _split(text)
        if not lines or lines[0].indent:
            return None
        value, end = _mapping(lines, 0, 0)
        return value if end == len(lines) else None
    except _Declined:
        return None


def _split(text: str) -> list[_Line]:
    if not text.isascii() or "\t" in text or "\r" in text:
        raise _Declined
    lines: list[_Line] = []
    for number, raw in enumerate(text.split("\n")):
        line = raw.strip(" ")
        if not line or line[0] == "#" or (line == "---" and number == 0):
            continue
        if " #" in line:
            raise _Declined
        lines.append(_Line(len(raw) - len(raw.lstrip(" ")), line))
    return lines


def _block(lines: list[_Line], at: int) -> tuple[Any, int]:
    line = lines[at]
    return _list(lines, at, line.indent) if line.text[0] == "-" else _mapping(lines, at, line.indent)


def _mapping(lines: list[_Line], at: int, indent: int) -> tuple[Raw, int]:
    found: Raw = {}
    while at < len(lines) and lines[at].indent == indent and lines[at].text[0] != "-":
        pair = _PAIR.fullmatch(lines[at].text)
        if not pair or pair[1] in found or pair[1].lower() in RESERVED:
            raise _Declined
        at += 1
        if pair[2]:
            found[pair[1]] = _scalar(pair[2])
        elif at < len(lines) and (lines[at].indent > indent or _is_list_of(lines[at], indent)):
            found[pair[1]], at = _block(lines, at)
        else:
            found[pair[1]] = None
    _ends(lines, at, indent)
    return found, at


def _list(lines: list[_Line], at: int, indent: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while at < len(lines) and _is_list_of(lines[at], indent):
        rest = lines[at].text[2:]
        if _PAIR.fullmatch(rest):
            # A mapping begins behind the dash: for what follows it is as if it stood on a line of its own.
            lines[at] = _Line(indent + 2, rest)
            value, at = _mapping(lines, at, indent + 2)
        else:
            value, at = _scalar(rest), at + 1
        found.append(value)
    _ends(lines, at, indent)
    return found, at


def _is_list_of(line: _Line, indent: int) -> bool:
    return line.indent == indent and line.text.startswith("- ")


def _ends(lines: list[_Line], at: int, indent: int) -> None:
    """Decline where a deeper line follows: a scalar over several lines, or an indentation that is none."""
    if at < len(lines) and lines[at].indent > indent:
        raise _Declined


def _scalar(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    if text[0] == "{" and text[-1] == "}":
        return _flow(text[1:-1])
    if text == "[]":
        return []
    if _QUOTED.fullmatch(text):
        return text[1:-1]
    if not _PLAIN.fullmatch(text) or text[-1] == ":" or text.lower() in RESERVED:
        raise _Declined
    return text


def _flow(text: str) -> Raw:
    """Read `a: b, c: d`, the inside of a mapping on one line, scalars only."""
    found: Raw = {}
    for part in text.split(", ") if text else ():
        pair = _PAIR.fullmatch(part)
        if not pair or not pair[2] or pair[2][0] == "{" or pair[1] in found or pair[1].lower() in RESERVED:
            raise _Declined
        found[pair[1]] = _scalar(pair[2])
    return found

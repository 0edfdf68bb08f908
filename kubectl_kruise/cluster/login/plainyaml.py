"""The YAML that kubectl and cluster installers write, read without loading PyYAML.

Loading PyYAML takes a fifth of the time of a whole one-object command. Only block mappings and lists of simple scalars
are read here; at the first sign of anything else the reader declines and the library does it. Tests hold both equal.
"""

from typing import Any, Final, NamedTuple

from kubectl_kruise.objects.raw import Raw

# Words that YAML 1.1 takes for something else than text; as such only the two of kubectl's own hand are read.
RESERVED: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
WORDS: Final = {"true": True, "false": False, "null": None, '""': "", "''": ""}

# Sets instead of regular expressions: compiling those would take back a part of the time that is saved.
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_KEY: Final = _LETTERS | frozenset("0123456789_-")
_PLAIN: Final = _KEY | frozenset("./:@=+")


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
        pair = _pair(lines[at].text)
        if pair is None or pair[0] in found:
            raise _Declined
        key, value = pair
        at += 1
        if value:
            found[key] = _scalar(value)
        elif at < len(lines) and (lines[at].indent > indent or _is_list_of(lines[at], indent)):
            found[key], at = _block(lines, at)
        else:
            found[key] = None
    _ends(lines, at, indent)
    return found, at


def _list(lines: list[_Line], at: int, indent: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while at < len(lines) and _is_list_of(lines[at], indent):
        rest = lines[at].text[2:]
        if _pair(rest):
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
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return _quoted(text[1:-1], text[0])
    # One or two dashes may stand before a word: options of a command line.
    word = text[2:] if text.startswith("--") else text.removeprefix("-")
    # A letter or slash first: no number, date or indicator begins so.
    begins = word[:1] == "/" or word[:1] in _LETTERS
    if not begins or not _PLAIN.issuperset(word) or word[-1] == ":" or text.lower() in RESERVED:
        raise _Declined
    return text


def _quoted(inside: str, quote: str) -> str:
    if quote in inside or "\\" in inside:
        raise _Declined
    return inside


def _pair(text: str) -> tuple[str, str] | None:
    """Split `key: value` or `key:`; None for what begins in no such way."""
    key, colon, value = text.partition(":")
    if not colon or key[:1] not in _LETTERS or not _KEY.issuperset(key) or (value and value[0] != " "):
        return None
    if key.lower() in RESERVED:
        raise _Declined
    return key, value.lstrip(" ")


def _flow(text: str) -> Raw:
    """Read `a: b, c: d`, the inside of a mapping on one line, scalars only."""
    found: Raw = {}
    for part in text.split(", ") if text else ():
        pair = _pair(part)
        if pair is None or pair[0] in found or pair[1][:1] in ("", "{"):
            raise _Declined
        found[pair[0]] = _scalar(pair[1])
    return found

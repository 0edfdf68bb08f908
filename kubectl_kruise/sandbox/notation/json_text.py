"""JSON from clients: what Go reads is read, and what could bring a server down is not (sandbox-apiserver.md T3)."""

import json
import re
from typing import Any, Final, NoReturn

import orjson

from kubectl_kruise.objects.notation.go_words import json_problem

DEEPEST: Final = 200
"""Levels of nesting. A real server takes 10,000; no object has more than a few dozen, and encoders give up at 254."""
_BRACKET: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[\]}]')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def parse_json(text: bytes) -> Any:
    """Parse JSON text. Raises ValueError with the words of Go's parser.

    Bytes that are no UTF-8 and halves of surrogate pairs are replaced, as Go does it; numbers beyond 64 bits become
    floating.
    """
    check_depth(text)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _lenient(text)


def check_depth(text: bytes) -> None:
    """Refuse text that nests deeper than anything has a use for. Raises ValueError."""
    if text.count(b"{") + text.count(b"[") <= DEEPEST:
        return
    depth = 0
    for found in _BRACKET.finditer(text):
        sign = found[0]
        if sign in (b"{", b"["):
            depth += 1
            if depth > DEEPEST:
                raise ValueError(f"invalid character '{sign.decode()}' exceeded max depth")
        elif sign in (b"}", b"]"):
            depth -= 1


def _lenient(text: bytes) -> Any:
    """Parse what the fast parser refuses; only texts that are wrong or odd come here."""
    try:
        found = json.loads(text.decode("utf-8", errors="replace"), parse_constant=_no_constant)
        return orjson.loads(_SURROGATE.sub("\ufffd", json.dumps(found, ensure_ascii=False, allow_nan=False)))
    except (ValueError, OverflowError):
        raise ValueError(json_problem(text)) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)

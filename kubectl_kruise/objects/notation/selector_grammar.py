"""The string form of label selectors: `app=web,tier in (a,b),!canary,size>3` (sandbox-apiserver.md L5)."""

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from kubectl_kruise.objects.notation.syntax import label_key_problems
from kubectl_kruise.objects.selector import Operator, Requirement, Selector, requirement, sorted_selector

_TOKEN = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!<>(),])|([^=!<>(), \t\r\n]+)|$)")
_OPERATORS: Final = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER,
    "<": Operator.LESS,
}
_OPERATOR_NAMES: Final = "in, notin, =, ==, !=, gt, lt"


class _Token(NamedTuple):
    """`word` tells keys and values from symbols; the end of the text is an empty symbol."""

    text: str
    word: bool


def parse_selector(text: str) -> Selector:
    """Read the string form; "" matches everything. Raises ValueError in the words of the API server."""
    reader = _Reader(_tokens(text))
    requirements: list[Requirement] = []
    if not reader.ahead.text:
        return Selector()
    if not reader.ahead.word and reader.ahead.text != "!":
        raise ValueError(f"found '{reader.ahead.text}', expected: !, identifier, or 'end of string'")
    while True:
        try:
            requirements.append(_requirement(reader))
        except ValueError as error:
            raise ValueError(f"unable to parse requirement: {error}") from None
        token = reader.take()
        if not token.text:
            return sorted_selector(requirements)
        if token.word or token.text != ",":
            raise ValueError(f"found '{token.text}', expected: ',' or 'end of string'")
        if not reader.ahead.word and reader.ahead.text != "!":
            raise ValueError(f"found '{reader.ahead.text}', expected: identifier after ','")


class _Reader:
    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def ahead(self) -> _Token:
        return self._tokens[min(self._next, len(self._tokens) - 1)]

    def take(self) -> _Token:
        token = self.ahead
        self._next += 1
        return token


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while found := _TOKEN.match(text, position):
        symbol, word = found.groups()
        if symbol is None and word is None:
            break
        tokens.append(_Token(symbol or word, word is not None))
        position = found.end()
    return [*tokens, _Token("", word=False)]


def _requirement(reader: _Reader) -> Requirement:
    negated = reader.ahead.text == "!" and not reader.ahead.word
    if negated:
        reader.take()
    key = reader.take()
    if not key.word:
        raise ValueError(f"found '{key.text}', expected: identifier")
    if problems := label_key_problems(key.text):
        raise ValueError(
            f"<nil>: Invalid value: {json.dumps(key.text, ensure_ascii=False)}: {'; '.join(problems)}"
        )
    if not reader.ahead.word and reader.ahead.text in {"", ","}:
        return Requirement(key.text, Operator.ABSENT if negated else Operator.EXISTS)
    if negated:
        return Requirement(key.text, Operator.ABSENT)
    token = reader.take()
    operator = _OPERATORS.get(token.text)
    if operator is None:
        raise ValueError(f"found '{token.text}', expected: {_OPERATOR_NAMES}")
    values = _value_set(reader) if operator in {Operator.IN, Operator.NOT_IN} else [_value(reader)]
    return requirement(key.text, operator, values)


def _value(reader: _Reader) -> str:
    if not reader.ahead.word and reader.ahead.text in {"", ","}:
        return ""
    token = reader.take()
    if not token.word:
        raise ValueError(f"found '{token.text}', expected: identifier")
    return token.text


def _value_set(reader: _Reader) -> list[str]:
    opening = reader.take()
    if opening != _Token("(", word=False):
        raise ValueError(f"found '{opening.text}' expected: '('")
    if not reader.ahead.word and reader.ahead.text not in {",", ")"}:
        raise ValueError(f"found '{reader.ahead.text}', expected: ',', ')' or identifier")
    values = [""]
    while True:
        token = reader.take()
        if token.word:
            values[-1] = token.text
            if reader.ahead.word or reader.ahead.text not in {",", ")"}:
                raise ValueError(f"found '{reader.ahead.text}', expected: ',' or ')'")
        elif token.text == ",":
            values.append("")
        elif token.text == ")":
            return values
        else:
            raise ValueError(f"found '{token.text}', expected: ',', or identifier")

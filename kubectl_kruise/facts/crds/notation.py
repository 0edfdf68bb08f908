"""Reads the compact schema notation of `schemas.txt` (kinds.md §9) into OpenAPI v3 schemas."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

Schema = dict[str, Any]

_TOKEN = re.compile(r'\s*(?:(…|[{}\[\]<>!,;*~()|=])|"([^"]*)"|([\w.\-]+))')

_INT_OR_STRING: Schema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
_LEAVES: dict[str, Schema] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "time": {"type": "string", "format": "date-time"},
    "object": {"type": "object"},
    "raw": {"x-kubernetes-preserve-unknown-fields": True},
    "intOrStr": _INT_OR_STRING,
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
}


class _Token(NamedTuple):
    """`mark` for punctuation, `text` for words and quoted strings."""

    mark: str
    text: str


class _Reader:
    """Recursive descent over one type; `named` resolves what the text defined before."""

    def __init__(self, text: str, named: Callable[[str], Schema]) -> None:
        self._tokens = [_Token(found[1] or "", found[3] or found[2] or "") for found in _TOKEN.finditer(text)]
        self._at = 0
        self._named = named

    def type(self) -> Schema:
        if self._skip("{"):
            schema = self._object()
        elif self._skip("["):
            schema = {"type": "array", "items": self.type()}
            self._expect("]")
            if self._skip("!"):
                schema["x-kubernetes-list-type"] = "atomic"
        elif self._peek().text == "map":
            self._next()
            self._expect("<")
            schema = {"type": "object", "additionalProperties": self.type()}
            self._expect(">")
        else:
            schema = self._word()
        return schema

    def _object(self) -> Schema:
        properties: dict[str, Schema] = {}
        schema: Schema = {"type": "object"}
        required = []
        while not self._skip("}"):
            if self._skip(";"):
                self._expect("…")
                schema["x-kubernetes-preserve-unknown-fields"] = True
                continue
            self._skip(",")
            name = self._next().text
            if self._skip("*"):
                required.append(name)
            properties[name] = self.type()
        schema["properties"] = properties
        if required:
            schema["required"] = sorted(required)
        if self._skip("!"):
            schema["x-kubernetes-map-type"] = "atomic"
        return schema

    def _word(self) -> Schema:
        name = self._next().text
        schema = deepcopy(_LEAVES[name]) if name in _LEAVES else self._named(name)
        if self._skip("("):
            schema["enum"] = [self._next().text]
            while self._skip("|"):
                schema["enum"].append(self._next().text)
            self._expect(")")
        if self._skip("="):
            text = self._next().text
            schema["default"] = text == "true" if schema.get("type") == "boolean" else text
        if self._skip("~"):
            schema["minLength"] = int(self._next().text)
        return schema

    def _peek(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _Token("", "")

    def _next(self) -> _Token:
        token = self._peek()
        self._at += 1
        return token

    def _skip(self, mark: str) -> bool:
        if self._peek().mark == mark:
            self._at += 1
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise ValueError(f"expected {mark!r}, found {self._peek()} in token {self._at}")


def parse_schemas(text: str) -> dict[tuple[str, str], Schema]:
    """Give the `spec` and `status` schemas of every kind and version as {(kind, version): {"spec": …, "status": …}}.

    Raises ValueError for text that does not follow the notation.
    """
    named: dict[str, Schema] = {}
    versions: dict[tuple[str, str], Schema] = {}

    def resolve(name: str) -> Schema:
        kind, dot, part = name.partition(".")
        if dot:
            known = next(schema for (owner, _), schema in versions.items() if owner == kind)
            return deepcopy(known[part])
        return deepcopy(named[name])

    for head, body in _paragraphs(text):
        if (definition := re.match(r"(\w+) = (.*)", head + body, re.DOTALL)) is not None:
            named[definition[1]] = _Reader(definition[2], resolve).type()
            continue
        words = head.split()
        kind, version = words[0], _version(words[1])
        if len(words) > 2:
            versions[kind, version] = _derive(
                head + body, versions[kind, _version(words[3].rstrip(","))], resolve
            )
        else:
            versions[kind, version] = {
                part: _Reader("{" + _properties(body, part) + "}", resolve).type()
                for part in ("spec", "status")
            }
    return versions


def _version(letter: str) -> str:
    return {"α": "v1alpha1", "β": "v1beta1"}[letter]


def _paragraphs(text: str) -> list[tuple[str, str]]:
    """Split into (first line, indented rest) at every line that starts in the first column."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    starts = [at for at, line in enumerate(lines) if not line[0].isspace()]
    ends = [*starts[1:], len(lines)]
    return [
        (lines[start], "\n" + "\n".join(lines[start + 1 : end]) if end > start + 1 else "")
        for start, end in zip(starts, ends, strict=True)
    ]


def _properties(body: str, part: str) -> str:
    """Give the lines of `spec` or `status` with commas where they break, which is how `{…}` writes the same."""
    block = re.search(rf"^  {part}\n((?:    .*\n?)*)", body, re.MULTILINE)
    joined = re.sub(r",?\s*\n\s*", ", ", block[1].strip()) if block else ""
    return re.sub(r"([{\[(<]),", r"\1", re.sub(r", ([}\])>])", r" \1", joined))


def _derive(text: str, base: Schema, resolve: Callable[[str], Schema]) -> Schema:
    """Read `X α as β, without a.b, c.d, with e.f string`; `{}` is a map's values, `[]` a list's items."""
    schema = deepcopy(base)
    flat = " ".join(text.split())
    removed = re.search(r"without (.*?)(?:, with |$)", flat)
    for path in removed[1].split(", ") if removed else ():
        parent, name = _walk(schema, path)
        del parent["properties"][name]
    added = re.search(r", with (\S+) (.+)$", flat)
    if added:
        parent, name = _walk(schema, added[1])
        parent["properties"][name] = _Reader(added[2], resolve).type()
    return schema


def _walk(schema: Schema, path: str) -> tuple[Schema, str]:
    steps = path.split(".")
    at = schema[steps[0]]
    for step in steps[1:-1]:
        match step:
            case "{}":
                at = at["additionalProperties"]
            case "[]":
                at = at["items"]
            case _:
                at = at["properties"][step]
    return at, steps[-1]

"""The part of kubectl's JSONPath that scripts use: fields, indices, slices, `*`, `..`, filters, and `range`.

`-o jsonpath='{.spec.replicas}'`. Braces may be left out where the template is one path.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from kubectl_kruise.errors import UsageError

_TOKEN: Final = re.compile(r"\{([^{}]*)\}|([^{}]+)")
_STEP: Final = re.compile(
    r"""
    \.\.(?P<deep>[\w-]+)
    | (?P<star>\.\*)
    | \.(?P<field>(?:\\.|[^\s.,\[\]$@{}])+)
    | \.?\[(?P<inside>(?:\?\(.*?\)|'[^']*'|"[^"]*"|[^\]])*)\]
    """,
    re.VERBOSE,
)
_FILTER: Final = re.compile(
    r"\?\(\s*@(?P<path>[^=!<>\s)]*)\s*(?:(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>.+?))?\s*\)"
)


def render_jsonpath(template: str, document: Any) -> str:
    """Fill in a template; UsageError for what cannot be read. Missing fields give nothing, as in kubectl."""
    if not template:
        raise UsageError("-o jsonpath= needs a template", hint="e.g. -o jsonpath='{.spec.replicas}'")
    text = template if "{" in template else "{" + template + "}"
    tokens = [(match[1], match[2]) for match in _TOKEN.finditer(text)]
    out, rest = _render(tokens, 0, document, document)
    if rest < len(tokens):
        raise UsageError("jsonpath: {end} without {range}")
    return out


def _render(tokens: list[tuple[str | None, str | None]], at: int, root: Any, here: Any) -> tuple[str, int]:
    """Give the text up to the end or to `{end}`, and the position there."""
    out: list[str] = []
    while at < len(tokens):
        code, plain = tokens[at]
        if plain is not None:
            out.append(plain)
        elif (code := (code or "").strip()) == "end":
            return "".join(out), at
        elif code.startswith("range "):
            found = find(code[6:], root, here)
            after = _after_end(tokens, at + 1)
            out += [_render(tokens, at + 1, root, item)[0] for item in found]
            at = after
        elif code[:1] in ("'", '"'):
            out.append(code[1:-1].replace("\\n", "\n").replace("\\t", "\t"))
        else:
            out.append(" ".join(_text(value) for value in find(code, root, here)))
        at += 1
    return "".join(out), at


def _after_end(tokens: list[tuple[str | None, str | None]], at: int) -> int:
    depth = 1
    for position in range(at, len(tokens)):
        code = (tokens[position][0] or "").strip()
        depth += 1 if code.startswith("range ") else -1 if code == "end" else 0
        if not depth:
            return position
    raise UsageError("jsonpath: {range} without {end}")


def find(path: str, root: Any, here: Any) -> list[Any]:
    """Give the values at a path such as `.items[*].metadata.name`; `$` is the whole document, `@` the item."""
    path = path.strip()
    values = [root if path.startswith("$") else here]
    path = path.lstrip("$@")
    if path and path[0] not in ".[":
        path = f".{path}"
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if not step and path[at:] == ".":
            break
        if not step:
            raise UsageError(f"jsonpath: cannot read {path[at:]!r}")
        values = [found for value in values for found in _step(step, value)]
        at = step.end()
    return values


def _step(step: re.Match[str], value: Any) -> Iterator[Any]:
    if step["deep"]:
        yield from _deep(step["deep"], value)
    elif step["field"]:
        yield from _field(re.sub(r"\\(.)", r"\1", step["field"]), value)
    elif step["star"]:
        yield from _all(value)
    else:
        yield from _inside(step["inside"].strip(), value)


def _inside(text: str, value: Any) -> Iterator[Any]:
    if text == "*":
        yield from _all(value)
    elif text[:1] in ("'", '"'):
        yield from _field(text[1:-1], value)
    elif filtered := _FILTER.fullmatch(text):
        yield from (item for item in _all(value) if _passes(filtered, item))
    elif isinstance(value, list):
        yield from _slice(text, value)


def _slice(text: str, value: list[Any]) -> Iterator[Any]:
    try:
        numbers = [int(part) if part.strip() else None for part in text.split(":")]
    except ValueError:
        raise UsageError(f"jsonpath: cannot read [{text}]") from None
    if len(numbers) > 1:
        yield from value[slice(*numbers)]
    elif numbers[0] is not None and -len(value) <= numbers[0] < len(value):
        yield value[numbers[0]]


def _passes(condition: re.Match[str], item: Any) -> bool:
    found = find(condition["path"] or ".", item, item)
    if not condition["sign"]:
        return bool(found)
    said = condition["value"].strip()
    wanted: Any = said[1:-1] if said[:1] in ("'", '"') else json.loads(said)
    for value in found:
        match condition["sign"]:
            case "==":
                hit = value == wanted
            case "!=":
                hit = value != wanted
            case sign:
                low, high = (value, wanted) if sign[0] == "<" else (wanted, value)
                hit = type(low) is type(high) and (low < high or (len(sign) > 1 and low == high))
        if hit:
            return True
    return False


def _field(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and name in value:
        yield value[name]


def _all(value: Any) -> Iterator[Any]:
    yield from value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _deep(name: str, value: Any) -> Iterator[Any]:
    yield from _field(name, value)
    for inner in _all(value):
        yield from _deep(name, inner)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

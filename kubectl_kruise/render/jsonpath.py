"""The part of kubectl's JSONPath that scripts use: fields, indices, slices, `*`, `..`, filters, and `range`.

`-o jsonpath='{.spec.replicas}'`. Braces may be left out where the template is one path.
"""

import json
import re
from typing import Any, Final

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation import jsonpath as paths

_TOKEN: Final = re.compile(r"\{([^{}]*)\}|([^{}]+)")


def render_jsonpath(template: str, document: Any) -> str:
    """Fill in a template; UsageError for what cannot be read. Missing fields give nothing, as in kubectl."""
    if not template:
        raise UsageError("-o jsonpath= needs a template", hint="e.g. -o jsonpath='{.spec.replicas}'")
    text = template if "{" in template else "{" + template + "}"
    found = list(_TOKEN.finditer(text))
    if sum(len(match[0]) for match in found) < len(text):
        raise UsageError("jsonpath: a brace is not closed")
    tokens = [(match[1], match[2]) for match in found]
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
    """Give the values at a path; `$` is the whole document, `@` the item. UsageError where it cannot be read."""
    try:
        return paths.find(path, root if path.strip().startswith("$") else here)
    except ValueError as error:
        raise UsageError(f"jsonpath: {error}") from None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

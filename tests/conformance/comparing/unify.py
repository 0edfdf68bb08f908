"""Compares an answer with a recorded one in which values that differ from run to run have names.

`RV1`, `UID2`, `CONTINUE1` stand for one value each, `TIME`, `AGE` and the like for any.
"""

import re
from typing import Any

NAMED = re.compile(r"\b(RV\d+|UID\d+|CONTINUE\d+)\b")
ANY = re.compile(
    r"@@|\bTIME(?=\b|\d)|\bAGE\b|XXXXX|\bCLUSTERIP\b|\bNODEPORT\b|\bTOKEN\b|\bHASH\b|\bUSER\b|\bSERVER\b|(?<=\.go:)N\b"
)
IN_TEXT = re.compile(r"\bNS\b|(?<=%3D)NS\b")
TOKEN = re.compile(f"{NAMED.pattern}|{ANY.pattern}")


def _without_dump(text: str) -> str:
    """Leave out what follows the first mark of an object dump; such dumps are Go's."""
    before, mark, _ = text.partition("\n@@")
    return before + "@@" if mark else text


class Bindings:
    """What the placeholders of one case stand for."""

    def __init__(self, namespace: str, *, exact: frozenset[str] = frozenset()) -> None:
        """Begin a case; `exact` are the fields that most recordings leave out and these do not."""
        self.values: dict[str, str] = {}
        self.namespace = namespace
        self.exact = exact

    def realise(self, value: Any) -> Any:
        """Put values for placeholders into something that is to be sent."""
        if isinstance(value, dict):
            return {self.realise(key): self.realise(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.realise(inner) for inner in value]
        if not isinstance(value, str):
            return value
        text = IN_TEXT.sub(self.namespace, value)
        text = text.replace("TIME", "2026-01-01T00:00:00Z") if text == "TIME" else text
        return NAMED.sub(lambda found: self.values.get(found[0], found[0]), text)

    def text_matches(self, expected: str, actual: str) -> bool:
        """Match a text, and bind what is named in it for the first time."""
        pattern, names, position = "", [], 0
        expected = IN_TEXT.sub(self.namespace, _without_dump(expected))
        for found in TOKEN.finditer(expected):
            pattern += re.escape(expected[position : found.start()])
            position = found.end()
            name = found[0]
            if not NAMED.fullmatch(name):
                pattern += "(?:.*)"
            elif name in self.values:
                pattern += re.escape(self.values[name])
            else:
                names.append(name)
                pattern += "(.+?)"
        match = re.fullmatch(pattern + re.escape(expected[position:]), actual, re.DOTALL)
        if match is None:
            return False
        self.values |= dict(zip(names, match.groups(), strict=True))
        return True


def difference(expected: Any, actual: Any, bindings: Bindings, *, path: str = "", part: bool = False) -> str:
    """Give the first difference, "" for none. With `part` only what is recorded counts."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return f"{path}: wanted an object, got {actual!r}"
        return _object_difference(expected, actual, bindings, path, part)
    if isinstance(expected, list):
        if path.endswith(".causes") and isinstance(actual, list):  # their order is free
            expected, actual = sorted(expected, key=_by_text), sorted(actual, key=_by_text)
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{path}: wanted {expected!r}, got {actual!r}"
        pairs = zip(expected, actual, strict=True)
        found = (
            difference(one, other, bindings, path=f"{path}[{index}]", part=part)
            for index, (one, other) in enumerate(pairs)
        )
        return next(filter(None, found), "")
    if isinstance(expected, str) and isinstance(actual, str):
        same = bindings.text_matches(expected, actual) or (
            path.endswith(".message") and _complaints(expected) == _complaints(actual)
        )
        return "" if same else f"{path}: wanted {expected!r}, got {actual!r}"
    if isinstance(expected, str) and ANY.fullmatch(expected) and actual is not None:
        return ""
    numbers = {type(expected), type(actual)} == {int, float}
    same = expected == actual and (numbers or type(expected) is type(actual))
    return "" if same else f"{path}: wanted {expected!r}, got {actual!r}"


def _by_text(cause: dict[str, Any]) -> str:
    return f"{cause.get('field')} {cause.get('message')}"


def _complaints(message: str) -> list[str]:
    """Take a message apart into its complaints, whose order is free."""
    start, _, rest = message.partition(": [")
    return [start, *sorted(rest.removesuffix("]").split(", "))]


def _object_difference(
    expected: dict[str, Any], actual: dict[str, Any], bindings: Bindings, path: str, part: bool
) -> str:
    for key, value in expected.items():
        here = f"{path}.{key}"
        if value is None and actual.get(key) is None:
            continue
        if key == "description" and "columnDefinitions" in path:  # texts for people, in words of our own
            continue
        if key not in actual:
            return f"{here}: absent, wanted {value!r}"
        if found := difference(value, actual[key], bindings, path=here, part=part):
            return found
    free = {"managedFields"} - bindings.exact | (
        {"kind", "apiVersion"} if re.search(r"\.items\[\d+\]$", path) else set()
    )
    extra = [key for key in actual if key not in expected and key not in free]
    return f"{path}: not wanted: {extra[0]}={actual[extra[0]]!r}" if extra and not part else ""

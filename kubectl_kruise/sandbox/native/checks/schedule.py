"""Schedules of cron jobs: five fields, or a word that stands for some (sandbox-apiserver.md N4)."""

import re
from typing import Final, NamedTuple

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WORDS: Final = frozenset({"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
_EVERY: Final = "@every "
_DURATION: Final = re.compile(r"[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+")


class _Field(NamedTuple):
    least: int
    most: int
    names: dict[str, int]


_FIELDS: Final = (
    _Field(0, 59, {}),
    _Field(0, 23, {}),
    _Field(1, 31, {}),
    _Field(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


def schedule_problem(text: str) -> str:
    """Say what is wrong with a schedule in the server's words, "" if nothing is."""
    try:
        _read(text)
    except ValueError as fault:
        return str(fault)
    return ""


def _read(text: str) -> None:
    if text.startswith("@"):
        _read_word(text)
        return
    parts = text.split()
    if len(parts) != len(_FIELDS):
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    for part, field in zip(parts, _FIELDS, strict=True):
        for span in part.split(","):
            _read_span(span, field)


def _read_word(text: str) -> None:
    if text in _WORDS:
        return
    if not text.startswith(_EVERY):
        raise ValueError(f"unrecognized descriptor: {text}")
    if _DURATION.fullmatch(text.removeprefix(_EVERY)) is None:
        duration = text.removeprefix(_EVERY)
        raise ValueError(f'failed to parse duration {text}: time: invalid duration "{duration}"')


def _read_span(text: str, field: _Field) -> None:
    """Read `*`, `a`, `a-b`, each with or without a step behind a slash."""
    span, *steps = text.split("/")
    if len(steps) > 1:
        raise ValueError(f"too many slashes: {text}")
    first, *others = span.split("-")
    if first in {"*", "?"}:
        low, high = field.least, field.most
    else:
        if len(others) > 1:
            raise ValueError(f"too many hyphens: {text}")
        low = _number(first, field.names)
        high = _number(others[0], field.names) if others else field.most if steps else low
    step = _number(steps[0], {}) if steps else 1
    if low < field.least:
        raise ValueError(f"beginning of range ({low}) below minimum ({field.least}): {text}")
    if high > field.most:
        raise ValueError(f"end of range ({high}) above maximum ({field.most}): {text}")
    if low > high:
        raise ValueError(f"beginning of range ({low}) beyond end of range ({high}): {text}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {text}")


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if re.fullmatch(r"[-+]?[0-9]+", text) is None:
        raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    if int(text) < 0:
        raise ValueError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)

"""Quantities of resources: their amount, and the one spelling the API server stores them in.

Two spellings of one amount must give the same revision bytes (cloneset.md §9.1), so the printed form follows
`resource.Quantity` of Kubernetes to the letter: it keeps a spelling it takes for canonical already (`+5Ki`, `1e3`),
and loses the suffix of amounts beyond exa.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

FORMAT_MESSAGE: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
SUFFIX_MESSAGE: Final = "unable to parse quantity's suffix"
NUMBER_MESSAGE: Final = "unable to parse numeric part of quantity"

# Texts, compiled when first needed: few commands need them.
_GRAMMAR = r"([+-]?)0*([0-9]*)(\.?)([0-9]*)([eEinumkKMGTP]*[-+]?[0-9]*)"
_EXPONENT = r"[eE]([-+]?[0-9]+)"
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {0: "", **{exponent: suffix for suffix, exponent in _BINARY.items()}}

_NANO = 9
_MAX_INT64 = 2**63 - 1
_FAST_DIGITS = 18
_LARGEST_EXPONENT = 4096  # beyond any amount in use; bounds the work for hostile input


class Notation(StrEnum):
    DECIMAL = "decimal"
    BINARY = "binary"
    EXPONENT = "exponent"


class Quantity(NamedTuple):
    """An amount in units of 10⁻⁹; `kept` is the spelling where it counts as canonical already.

    `scale` is the power of ten that Go counts in where the amount fits 64 bits without rounding, else None.
    """

    nanos: int
    notation: Notation = Notation.DECIMAL
    kept: str = ""
    scale: int | None = None

    def __str__(self) -> str:
        return self.kept or _print(self.nanos, self.notation)


class _Parts(NamedTuple):
    negative: bool
    whole: str
    fraction: str
    exponent: int
    notation: Notation


def parse_quantity(value: str | float) -> Quantity:
    """Read a quantity as JSON carries it, a string or a number.

    Raises ValueError with the words of the API server. Amounts below 10⁻⁹ round away from zero; binary ones stop at
    2⁶³-1.
    """
    text = value.strip() if isinstance(value, str) else str(value)
    parts = _split(text)
    quick = _plain(parts, text)
    if quick is not None:
        return quick
    if not any(character.isdigit() for character in text):
        raise ValueError(NUMBER_MESSAGE)
    return _exact(parts)


@lru_cache(maxsize=4096, typed=True)
def canonical_quantity(value: str | float) -> str:
    """Give the spelling the API server stores. Raises ValueError like `parse_quantity`.

    Remembered, because the same few amounts come with every pod; 1 and 1.0 are spelled apart.
    """
    return str(parse_quantity(value))


def _split(text: str) -> _Parts:
    found = re.fullmatch(_GRAMMAR, text) if text else None
    if found is None:
        raise ValueError(FORMAT_MESSAGE)
    sign, whole, _, fraction, suffix = found.groups()
    notation, exponent = _unit(suffix)
    return _Parts(sign == "-", whole or "0", fraction, exponent, notation)


def _unit(suffix: str) -> tuple[Notation, int]:
    if suffix in _DECIMAL:
        return Notation.DECIMAL, _DECIMAL[suffix]
    if suffix in _BINARY:
        return Notation.BINARY, _BINARY[suffix]
    written = re.fullmatch(_EXPONENT, suffix)
    if written is None or int(written[1]) > _LARGEST_EXPONENT:
        raise ValueError(SUFFIX_MESSAGE)
    return Notation.EXPONENT, max(int(written[1]), -_LARGEST_EXPONENT)


def _plain(parts: _Parts, text: str) -> Quantity | None:
    """Read what fits 64 bits without rounding; only here can a spelling be kept. None where it does not fit."""
    digits = parts.whole + parts.fraction
    if parts.notation is Notation.BINARY:
        if parts.fraction or 15 - len(parts.whole) - int(parts.exponent * 0.3) - 1 < 0:
            return None
        amount, scale = int(digits) << parts.exponent, 0
        canonical = bool(int(digits) & 7)  # a factor of 1024 needs the low bits empty
    else:
        amount, scale = int(digits), parts.exponent - len(parts.fraction)
        if len(digits) > _FAST_DIGITS or scale < -_NANO:
            return None
        canonical = scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
    nanos = amount * 10 ** (scale + _NANO)
    return Quantity(-nanos if parts.negative else nanos, parts.notation, text if canonical else "", scale)


def _exact(parts: _Parts) -> Quantity:
    amount = int(parts.whole + parts.fraction)
    scale = -len(parts.fraction)
    if parts.notation is Notation.BINARY:
        amount <<= parts.exponent
    else:
        scale += parts.exponent
    shift = scale + _NANO
    nanos = amount * 10**shift if shift >= 0 else -(-amount // 10**-shift)
    notation = parts.notation
    if notation is Notation.BINARY:
        nanos = min(nanos, _MAX_INT64 * 10**_NANO)
        if nanos < 10**_NANO:
            notation = Notation.DECIMAL
    return Quantity(-nanos if parts.negative else nanos, notation)


def _print(nanos: int, notation: Notation) -> str:
    if nanos == 0:
        return "0"
    units, rest = divmod(abs(nanos), 10**_NANO)
    if notation is Notation.BINARY and not rest and units >= 1024:
        sign = "-" if nanos < 0 else ""
        exponent = 0
        while units % 1024 == 0:
            units, exponent = units // 1024, exponent + 10
        return f"{sign}{units}{_BINARY_SUFFIX.get(exponent, '')}"
    mantissa, exponent = nanos, -_NANO
    while mantissa % 10 == 0:
        mantissa, exponent = mantissa // 10, exponent + 1
    while exponent % 3:
        mantissa, exponent = mantissa * 10, exponent - 1
    if notation is Notation.EXPONENT:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    return f"{mantissa}{_DECIMAL_SUFFIX.get(exponent, '')}"

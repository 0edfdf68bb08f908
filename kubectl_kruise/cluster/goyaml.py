"""YAML as kubectl's library reads it: YAML 1.1 with Go's idea of numbers, and no times.

PyYAML differs in what a plain scalar is: `1e3` is text for it, `10:30` a number, `2024-01-01` a date, `y` text. For
kubectl they are a number, text, text and true. Loaded only where a file is more than the quick reader takes.
"""

import re
from typing import Any, Final

import yaml

_SAFE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_SMALLEST, _LARGEST = -(2**63), 2**64
_LONGEST_PLAIN: Final = 1e21
"""From here on Go prints numbers with an exponent."""

_DECIMAL: Final = r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
# What a plain scalar is, by its whole text; the first that fits counts.
_PLAIN: Final = (
    ("bool", r"[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", "yYnNtTfFoO"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
    ("int", r"[-+]?(?:0[bB][01_]+|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)", "-+0123456789"),
    ("float", rf"{_DECIMAL}|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+.0123456789"),
)  # fmt: skip


class Loader(_SAFE):  # type: ignore[misc]  # PyYAML decides about the base when it is loaded
    """A safe loader: plain data only."""

    bool_values = {**_SAFE.bool_values, "y": True, "n": False}  # noqa: RUF012 - as PyYAML declares it
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012 - as PyYAML declares it


def read_first(text: str) -> Any:
    """Give the first document of `text`, None for an empty one; raises yaml.YAMLError."""
    loader = Loader(text)
    try:
        return loader.get_data() if loader.check_data() else None
    finally:
        loader.dispose()


def _integer(loader: Any, node: Any) -> int | float:
    text = loader.construct_scalar(node).replace("_", "")
    try:
        # A zero and then digits is an old octal number.
        old = text.lstrip("+-").startswith("0") and text.lstrip("+-").isdecimal()
        number = int(text, 8 if old else 0)
    except ValueError:
        raise yaml.constructor.ConstructorError(None, None, "found an odd number", node.start_mark) from None
    return number if _SMALLEST <= number < _LARGEST else float(number)


def _float(loader: Any, node: Any) -> int | float:
    """Read a number with a point or an exponent; as in JSON, a whole one is as good as one without."""
    number: float = loader.construct_yaml_float(node)
    return int(number) if number.is_integer() and abs(number) < _LONGEST_PLAIN else number


def _text(loader: Any, node: Any) -> str:
    return str(loader.construct_scalar(node))


def _binary(loader: Any, node: Any) -> str:
    return str(loader.construct_yaml_binary(node).decode("utf-8", "replace"))


def _as_if_untagged(loader: Any, node: Any) -> Any:
    """Read what has a tag of its own as if it had none."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return _text(loader, node)


for _name, _pattern, _first in _PLAIN:
    Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(f"(?:{_pattern})$"), list(_first))
Loader.add_constructor(f"{_TAG}int", _integer)
Loader.add_constructor(f"{_TAG}float", _float)
Loader.add_constructor(f"{_TAG}binary", _binary)
for _name in ("merge", "timestamp"):
    Loader.add_constructor(f"{_TAG}{_name}", _text)
Loader.add_constructor(None, _as_if_untagged)

"""YAML in bodies: read as Go reads it, within bounds, and written with keys in order of the alphabet."""

from collections.abc import Iterator
from math import isfinite, isnan
from typing import Any, Final

import yaml

from kubectl_kruise.cluster import goyaml
from kubectl_kruise.sandbox.notation.json_text import DEEPEST

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

_LARGEST: Final = 4_000_000
"""Values that a document may stand for, its aliases written out."""


class Loader(goyaml.Loader):
    """Reads bodies: notes the keys that stand twice in a map, refuses what JSON cannot say or nobody should write out."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.repeated: list[str] = []

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Unfit("yaml: invalid map key")
            if isinstance(key.value, str) and key.value in seen:
                self.repeated.append(f'line {key.start_mark.line + 1}: key "{key.value}" already set in map')
            if isinstance(key.value, str):
                seen.add(key.value)
        return {_key(key): value for key, value in super().construct_mapping(node, deep=deep).items()}

    def get_single_data(self) -> Any:
        """Give the value of the document, unless written out it would be much more than it says."""
        return self._value(self.get_single_node())

    def get_first_data(self) -> Any:
        """Give the value of the first document; None where there is none."""
        self.get_event()
        return self._value(self.get_node()) if self.check_node() else None

    def _value(self, node: Any) -> Any:
        if node is None:
            return None
        _Measure().size(node, 0)
        return self.construct_document(node)

    def construct_yaml_float(self, node: Any) -> float:
        value: float = super().construct_yaml_float(node)
        if not isfinite(value):
            sign = "NaN" if isnan(value) else "+Inf" if value > 0 else "-Inf"
            raise _Unfit(f"json: unsupported value: {sign}")
        return value


class _Measure:
    """Counts what a document with aliases stands for. Raises YAMLError for one that nobody should write out."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()

    def size(self, node: Any, depth: int) -> int:
        key = id(node)
        if key in self._open:
            raise _Unfit("yaml: an anchor's value contains itself")
        if depth > DEEPEST:
            raise _Unfit("yaml: exceeded max depth")
        if key not in self._sizes:
            self._open.add(key)
            self._sizes[key] = 1 + sum(self.size(below, depth + 1) for below in _below(node))
            self._open.discard(key)
        if self._sizes[key] > _LARGEST:
            raise _Unfit("yaml: document contains excessive aliasing")
        return self._sizes[key]


class _Unfit(yaml.YAMLError):
    """A document that is well formed and not taken all the same."""


def _below(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


class Dumper(_DUMPER):  # type: ignore[misc, valid-type]
    """A safe dumper that puts text which looks like something else into double quotes, and writes shared parts out."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the parent class calls it so
        return True


def _key(value: Any) -> str:
    """Give a key as JSON has it: text."""
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


def problem_of(error: yaml.YAMLError) -> str:
    """Say what is wrong with a text in the words of Go's reader, which names no line where it is the first."""
    if isinstance(error, _Unfit):
        return str(error)
    if isinstance(error, yaml.reader.ReaderError):
        return "yaml: control characters are not allowed"
    mark = getattr(error, "problem_mark", None)
    line = mark.line if mark else 0
    # Go counts lines from one in errors of the scanner, from zero in those of the parser.
    line += bool(line) and isinstance(error, yaml.scanner.ScannerError)
    return "yaml: " + (f"line {line}: " if line else "") + str(getattr(error, "problem", error))


def _text(dumper: Any, value: str) -> Any:
    plain = dumper.resolve(yaml.ScalarNode, value, (True, False)) == "tag:yaml.org,2002:str"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')


Dumper.add_representer(str, _text)


def dump(value: Any) -> bytes:
    return yaml.dump(value, Dumper=Dumper, default_flow_style=False, allow_unicode=True, width=2**20).encode()

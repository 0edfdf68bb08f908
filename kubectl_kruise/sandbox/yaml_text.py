"""YAML as Kubernetes reads and writes it: no timestamps, keys in order of the alphabet."""

from typing import Any

import yaml

_SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Loader(_SAFE):  # type: ignore[misc, valid-type]
    """A safe loader that leaves dates as text, as JSON has no dates, and notes the keys that stand twice in a map."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.repeated: list[str] = []

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                self.repeated.append(f'line {key.start_mark.line + 1}: key "{key.value}" already set in map')
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)

    yaml_implicit_resolvers = {  # noqa: RUF012 - read once, by the parent class
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in _SAFE.yaml_implicit_resolvers.items()
    }


class Dumper(_DUMPER):  # type: ignore[misc, valid-type]
    """A safe dumper that puts text which looks like something else into double quotes, and writes shared parts out."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the parent class calls it so
        return True


def problem_of(error: yaml.YAMLError) -> str:
    """Say what is wrong with a text in the words of Go's reader, which names no line where it is the first."""
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

"""YAML as Kubernetes reads and writes it: no timestamps, keys in order of the alphabet."""

from typing import Any

import yaml

_SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Loader(_SAFE):  # type: ignore[misc, valid-type]
    """A safe loader that leaves dates as text, as JSON has no dates."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - read once, by the parent class
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in _SAFE.yaml_implicit_resolvers.items()
    }


class Dumper(_DUMPER):  # type: ignore[misc, valid-type]
    """A safe dumper that puts text which looks like something else into double quotes, and writes shared parts out."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the parent class calls it so
        return True


def _text(dumper: Any, value: str) -> Any:
    plain = dumper.resolve(yaml.ScalarNode, value, (True, False)) == "tag:yaml.org,2002:str"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')


Dumper.add_representer(str, _text)


def dump(value: Any) -> bytes:
    return yaml.dump(value, Dumper=Dumper, default_flow_style=False, allow_unicode=True, width=2**20).encode()

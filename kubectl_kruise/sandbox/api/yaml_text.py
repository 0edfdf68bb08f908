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


def dump(value: Any) -> bytes:
    return yaml.dump(value, Dumper=_DUMPER, default_flow_style=False, allow_unicode=True, width=2**20).encode()

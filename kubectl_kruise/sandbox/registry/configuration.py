"""The body of a server-side apply: YAML or JSON (sandbox-apiserver.md F4)."""

from typing import Any, NamedTuple

import orjson

from kubectl_kruise.objects.notation.go_words import json_kind
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.notation.repeated_keys import repeated_keys
from kubectl_kruise.sandbox.registry.call import Call


class Configuration(NamedTuple):
    """An object as a client wants it; `repeated` tells of keys that stood twice."""

    object: Raw
    repeated: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        return _text(self.object.get("apiVersion"))

    @property
    def kind(self) -> str:
        return _text(self.object.get("kind"))

    @property
    def type(self) -> str:
        """Name the type as messages do."""
        group, _, version = self.api_version.rpartition("/")
        return f"{group}/{version}, Kind={self.kind}"

    def meta(self, name: str) -> Any:
        """Give a field of the metadata, as it was sent."""
        held = self.object.get("metadata")
        return held.get(name) if isinstance(held, dict) else None

    def text(self, name: str) -> str:
        """Give a field of the metadata that is a text; "" where it is none."""
        return _text(self.meta(name))

    def tell_repeated(self, call: Call) -> None:
        """Refuse keys that stood twice or warn of them, as the request wants it (N3)."""
        if call.validation == "Warn":
            call.warnings += self.repeated
        if self.repeated and call.validation == "Strict":
            lines = "\n  ".join(("yaml: unmarshal errors:", *self.repeated))
            raise status.bad_request(f"error strict decoding YAML: error converting YAML to JSON: {lines}")


def read_configuration(body: bytes) -> Configuration:
    """Read a configuration. Raises Refused 400 where it is no object."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _read_yaml(body)
    if isinstance(found, dict) and repeated_keys(found, body):
        return _read_yaml(body)
    return Configuration(_object(found))


def _read_yaml(body: bytes) -> Configuration:
    import yaml

    from kubectl_kruise.sandbox.notation.yaml_text import Loader, problem_of

    try:
        loader = Loader(body)
        found = loader.get_single_data()
    except yaml.YAMLError as error:
        why = f"error converting YAML to JSON: {problem_of(error)}"
        raise status.bad_request(f"error decoding YAML: {why}") from None
    return Configuration(_object(found), tuple(loader.repeated))


def _object(found: Any) -> Raw:
    if found is None:
        return {}
    if not isinstance(found, dict):
        why = f"json: cannot unmarshal {json_kind(found)} into Go value of type map[string]interface {{}}"
        problem = f"error unmarshaling JSON: while decoding JSON: {why}"
        raise status.bad_request(f"error decoding YAML: {problem}")
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

"""A small type with one field of every kind, for tests of ownership."""

from kubectl_kruise.sandbox.managed.shape import Compiler

TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "size": {"type": "integer"},
        "text": TEXT,
        "flag": {"type": "boolean"},
        "any": {"x-kubernetes-int-or-string": True},
        "items": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "properties": {"name": TEXT, "v": {"type": "integer"}}},
        },
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "items": {
                "type": "object",
                "properties": {"port": {"type": "integer"}, "protocol": TEXT | {"default": "TCP"}},
            },
        },
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
        "words": {"type": "array", "items": TEXT},
        "labels": {"type": "object", "additionalProperties": TEXT},
        "atom": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": TEXT},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "sub": {"type": "object", "properties": {"a": TEXT, "b": TEXT}},
    },
}


def _no_definitions(name):
    raise KeyError(name)


SHAPE = Compiler(_no_definitions).compile(SCHEMA)

"""How Go lays out a pod template: every field of every struct, in order, with its Go name and type.

Native controllers hash a dump of that layout. The table is data made from the Go types of Kubernetes 1.36
(`scripts/template_layout.py`); fields that 1.32 does not have carry the release that brought them, so that one table
serves the controllers of Kubernetes and those built with the older library.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = "v1.PodTemplateSpec"
RELEASES: Final = (32, 36)
"""Minor versions of Kubernetes whose layout the table holds."""


class LayoutField(NamedTuple):
    """`name` is Go's, `key` the JSON name ("" for an embedded struct), `type` as Go writes it."""

    name: str
    key: str
    type: str


class Layout(NamedTuple):
    """`types` are named types that are no structs, by what they are made of."""

    structs: Mapping[str, tuple[LayoutField, ...]]
    types: Mapping[str, str]


@cache
def template_layout(release: int = RELEASES[-1]) -> Layout:
    """Give the layout as of a minor version of Kubernetes, one of RELEASES."""
    path = Path(__file__).with_name("data") / "template_layout.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    structs = {
        struct: tuple(
            LayoutField(name, key, kind) for name, key, kind, *since in fields if since <= [release]
        )
        for struct, fields in table["structs"].items()
    }
    return Layout(structs, table["types"])

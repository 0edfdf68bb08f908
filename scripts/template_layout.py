"""Make and verify the table of the Go types behind pod templates, over which native controllers compute hashes.

Usage: python scripts/template_layout.py [--check | --verify COUNT | --rows COUNT]. Needs Go 1.26 and the module proxy.
With --check nothing is written and a difference is an error; --verify compares our hashes with Go's over COUNT random
templates; --rows prints COUNT of them with Go's hashes, one JSON list a line, for the tests.
"""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from random_template import random_template

from kubectl_kruise.engine.revisions.template_hash import hash_text, template_hash
from kubectl_kruise.facts.template_layout import RELEASES, template_layout

PROGRAM = Path(__file__).parent / "templatelayout"
TABLE = Path(__file__).parent.parent / "kubectl_kruise" / "facts" / "data" / "template_layout.json"
MODULES = {32: ("-modfile=release132.mod",), 36: ()}
LEAVES = ("v1.Time", "v1.MicroTime", "resource.Quantity", "intstr.IntOrString", "v1.FieldsV1")


def main(arguments: list[str]) -> int:
    match arguments:
        case ["--verify", count]:
            return max(verify(int(count), release) for release in RELEASES)
        case ["--rows", count]:
            for release in RELEASES:
                for template, expected in hashed(int(count), release):
                    print(json.dumps([release, expected, template]))
            return 0
        case ["--check"]:
            same = render(merged()) == TABLE.read_text(encoding="utf-8")
            print(f"{TABLE.name} is {'up to date' if same else 'out of date'}")
            return 0 if same else 1
        case _:
            TABLE.write_text(render(merged()), encoding="utf-8")
            print(f"wrote {TABLE}")
            return 0


def verify(count: int, release: int) -> int:
    """Compare hashes over random templates, some with few fields set and some with many."""
    wrong = 0
    for template, expected in hashed(count, release):
        if template_hash(template, release=release) != expected:
            wrong += 1
            print(json.dumps(template), file=sys.stderr)
    print(f"1.{release}: {count - wrong} of {count} hashes are the same")
    return 1 if wrong else 0


def hashed(count: int, release: int) -> list[tuple[dict[str, Any], str]]:
    """Give random templates with the hashes that Go computes."""
    draw = random.Random(release)
    layout = template_layout(release)
    templates = [random_template(draw, layout, density=draw.choice((0.03, 0.1, 0.25))) for _ in range(count)]
    sums = run(release, "hash", lines="".join(map(_line, templates))).split()
    return [(template, hash_text(int(each))) for template, each in zip(templates, sums, strict=True)]


def _line(template: dict[str, Any]) -> str:
    return f"{json.dumps(template, separators=(',', ':'))}\n"


def merged() -> dict[str, Any]:
    """Give the newest layout, in which fields of a later release than the oldest say so.

    Raises ValueError where a release is more than the one before with fields put in between.
    """
    old, new = (json.loads(run(release)) for release in sorted(MODULES))
    structs: dict[str, list[list[Any]]] = {}
    for name, fields in new["structs"].items():
        known = old["structs"].get(name, [])
        if [field for field in fields if field in known] != known:
            raise ValueError(f"{name} lost fields or changed their order")
        since = max(MODULES)
        structs[name] = [field if field in known else [*field, since] for field in fields]
    return {"structs": _reachable(structs), "types": new["types"]}


def _reachable(structs: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """Leave out what only leaves are made of."""
    found, todo = {}, ["v1.PodTemplateSpec"]
    while todo:
        name = todo.pop()
        if name in found or name in LEAVES or name not in structs:
            continue
        found[name] = structs[name]
        todo += [field[2].rpartition("*")[2].rpartition("]")[2] for field in structs[name]]
    return found


def run(release: int, *words: str, lines: str = "") -> str:
    done = subprocess.run(
        ["go", "run", *MODULES[release], ".", *words],
        cwd=PROGRAM, check=True, input=lines, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return done.stdout


def render(table: dict[str, Any]) -> str:
    """Print one struct per line, so that a new version of Kubernetes reads well as a difference."""
    structs = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(fields)}" for name, fields in sorted(table["structs"].items())
    )
    types = json.dumps(dict(sorted(table["types"].items())), indent=2).replace("\n", "\n ")
    return f'{{\n "types": {types},\n "structs": {{\n{structs}\n }}\n}}\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

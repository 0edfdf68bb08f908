"""Make the table of pod-template and volume-claim fields from the Go types of Kubernetes.

Usage: python scripts/pod_fields.py [--check]. Needs Go 1.23 or later and the module proxy; the version of the types
is pinned in scripts/podfields/go.mod. With --check nothing is written and a difference is an error.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "podfields"
TABLE = Path(__file__).parent.parent / "kubectl_kruise" / "facts" / "data" / "pod_fields.json"


def main(arguments: list[str]) -> int:
    text = render(reflect())
    if arguments == ["--check"]:
        same = text == TABLE.read_text(encoding="utf-8")
        print(f"{TABLE.name} is {'up to date' if same else 'out of date'}")
        return 0 if same else 1
    TABLE.write_text(text, encoding="utf-8")
    print(f"wrote {TABLE}")
    return 0


def reflect() -> dict[str, Any]:
    done = subprocess.run(["go", "run", "."], cwd=PROGRAM, check=True, stdout=subprocess.PIPE, text=True)
    table: dict[str, Any] = json.loads(done.stdout)
    return table


def render(table: dict[str, Any]) -> str:
    """Print one struct per line, so that a new version of Kubernetes reads well as a difference."""
    structs = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(fields)}" for name, fields in sorted(table["structs"].items())
    )
    scalars = json.dumps(dict(sorted(table["scalars"].items())), indent=2).replace("\n", "\n ")
    return f'{{\n "source": {json.dumps(table["source"])},\n "scalars": {scalars},\n "structs": {{\n{structs}\n }}\n}}\n'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

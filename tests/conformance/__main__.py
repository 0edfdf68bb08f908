"""`python -m tests.conformance PATH…`: replays recordings and says where ours differs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance.replay import replay


def main(paths: list[str]) -> int:
    """Replay files and folders; 0 when all agree, 1 when one fails, 2 without a recording."""
    passed = failed = 0
    for path, recording in _recordings(paths):
        name = recording.get("id", path.stem)
        difference = (
            replay(recording) if "steps" in recording else "cannot replay recordings of this kind yet"
        )
        if difference:
            failed += 1
            print(f"FAILED {name}: {difference}", flush=True)
        else:
            passed += 1
            print(f"ok {name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 2


def _recordings(paths: list[str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for given in map(Path, paths):
        files = sorted(given.rglob("*.json")) if given.is_dir() else [given]
        for path in files:
            try:
                found = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError) as error:
                print(f"skipped {path}: {error}")
                continue
            if isinstance(found, list):
                found = {"id": path.stem, "entries": found}
            if isinstance(found, dict) and (
                {"id", "steps"} <= found.keys() or {"cases", "entries"} & found.keys()
            ):
                yield path, found
            else:
                print(f"skipped {path}: not a recording")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m tests.conformance PATH…`: replays recordings and says where ours differs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance.flows import is_flow, replay_flow
from tests.conformance.questions.entries import replay_entries
from tests.conformance.questions.listings import is_listing, replay_listings
from tests.conformance.questions.served import replay_cases
from tests.conformance.scenarios.replay import replay
from tests.conformance.scenarios.restarts import replay_restarts, restarts_containers
from tests.conformance.sessions import is_session, replay_session


def main(paths: list[str]) -> int:
    """Replay files and folders; 0 when all agree, 1 when one fails, 2 without a recording."""
    passed = failed = 0
    for path, recording in _recordings(paths):
        for name, difference in _replay(path, recording):
            passed, failed = (passed, failed + 1) if difference else (passed + 1, failed)
            print(f"FAILED {name}: {difference}" if difference else f"ok {name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 2


def _replay(path: Path, recording: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the name and the first difference of each thing a file holds."""
    if "entries" in recording:
        listings = [entry for entry in recording["entries"] if is_listing(entry)]
        yield from replay_listings(listings)
        yield from replay_entries(entry for entry in recording["entries"] if not is_listing(entry))
        return
    if is_session(recording):
        yield from replay_session(recording)
        return
    if "cases" in recording and any("request" in case for case in recording["cases"]):
        yield from replay_cases(recording)
        return
    name = recording.get("id", path.stem)
    if "steps" not in recording and not is_flow(recording):
        yield name, "cannot replay recordings of this kind yet"
        return
    try:
        yield name, _play(recording)
    except Exception as bug:  # a recording of a kind we do not know must not stop the others
        yield name, f"cannot be replayed: {bug!r}"


def _play(recording: dict[str, Any]) -> str:
    if is_flow(recording):
        return replay_flow(recording)
    return replay_restarts(recording) if restarts_containers(recording) else replay(recording)


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
                {"id", "steps"} <= found.keys() or {"cases", "entries"} & found.keys() or is_flow(found)
            ):
                yield path, found
            else:
                print(f"skipped {path}: not a recording")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

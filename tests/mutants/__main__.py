"""`python -m tests.mutants [WORD…]`: seeds one fault at a time and says whether the recordings notice it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.mutants.catalog import FAULTS
from tests.mutants.fault import PACKAGE, Fault, recording, seed
from tests.places import ROOT

AT_ONCE = 2
LONGEST = 300
FOUND = 70


class Finding(NamedTuple):
    """`verdict` is killed, survived or broken; `seen` the first difference or what went wrong."""

    verdict: str
    seen: str


def main(words: list[str]) -> int:
    """Try every fault, or those whose description holds one of the words; 0 when each is noticed."""
    faults = [fault for fault in FAULTS if not words or any(word in fault.about for word in words)]
    started = time.monotonic()
    if found := _replay(sorted({name for fault in faults for name in fault.recordings}), None):
        print(f"the recordings do not pass as they are: {found.seen}")
        return 1
    findings = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for fault, finding in zip(faults, pool.map(_try, faults), strict=True):
            findings.append(finding)
            print(
                f"{finding.verdict:8}  {fault.file:36}  {fault.about:76}  {finding.seen[:FOUND]}", flush=True
            )
    killed, survived, broken = (
        sum(finding.verdict == verdict for finding in findings)
        for verdict in ("killed", "survived", "broken")
    )
    if broken:
        print(f"{broken} faults stop the replay instead of changing what it sees")
    print(f"{killed} killed, {survived} survived ({time.monotonic() - started:.0f} s)")
    return 1 if survived or broken or not findings else 0


def _try(fault: Fault) -> Finding:
    return _replay(fault.recordings, fault) or Finding("survived", ", ".join(fault.recordings))


def _replay(recordings: tuple[str, ...] | list[str], fault: Fault | None) -> Finding | None:
    """Replay with a copy of the package; None where all recordings agree."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        # Bytecode comes along, so that only the changed module is compiled.
        shutil.copytree(ROOT / PACKAGE, Path(folder) / PACKAGE)
        if fault is not None:
            try:
                seed(fault, Path(folder))
            except ValueError as error:
                return Finding("broken", str(error))
        paths = [str(recording(name)) for name in recordings]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tests.conformance", *paths],
                cwd=folder,  # comes first in the module path: the copy, not the package as installed
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return Finding("broken", f"no end within {LONGEST} s")
    return _judge(done.returncode, done.stdout, done.stderr)


def _judge(code: int, output: str, errors: str) -> Finding | None:
    failed = [line.removeprefix("FAILED ") for line in output.splitlines() if line.startswith("FAILED ")]
    if code == 0:
        return None
    if not failed or any("cannot be replayed" in line for line in failed):
        return Finding("broken", (failed or errors.strip().splitlines() or ["no answer"])[-1])
    return Finding("killed", failed[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

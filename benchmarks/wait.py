"""What a `rollout status` costs that waits: share of one core and peak memory, over the pods of one CloneSet.

The same wait is run for a short and for a long while; the difference of the two is what waiting itself costs. `busy`
means that twenty pods a second report something new. Goals at 1,000 pods: 10 % of a core, 100 MB.
"""

import argparse
import time
from collections.abc import Iterator
from itertools import cycle
from typing import Any

from benchmarks.processes import Run, Started
from benchmarks.rollout import OBJECT, Rollout
from benchmarks.stage import Stage, sandbox
from benchmarks.tables import table as lay_out

SHORT, LONG = 3.0, 13.0
EVENTS_PER_SECOND = 20


def table(chosen: argparse.Namespace) -> str:
    rows = []
    with sandbox("--kruise", "crds", "--nodes", "0") as stage, stage.client() as client:
        rollout = Rollout(client, chosen.pods)
        rollout.report(complete=False)
        for name, busy in (("idle", False), ("busy", True)):
            short, long = (_wait(stage, rollout, seconds, busy=busy) for seconds in (SHORT, LONG))
            share = (long.cpu - short.cpu) / (LONG - SHORT)
            rows.append([name, f"{chosen.pods:,}", f"{share:.1%}", f"{long.peak:.0f}"])
    return lay_out("rollout status while it waits", ("cluster", "pods", "of one core", "MiB"), rows)


def _wait(stage: Stage, rollout: Rollout, seconds: float, *, busy: bool) -> Run:
    command = ["kubectl-kruise", "rollout", "status", OBJECT, f"--timeout={seconds:.0f}s"]
    pods = _endless(rollout)
    waiting = Started(command, stage.environment)
    begun = time.perf_counter()
    number = 0
    while waiting.running():
        if busy:
            next(pods)
        number += 1
        time.sleep(max(0.0, begun + number / EVENTS_PER_SECOND - time.perf_counter()))
    done, output = waiting.finish()
    if done.code != 124:
        raise RuntimeError(output)
    return done


def _endless(rollout: Rollout) -> Iterator[Any]:
    pods = rollout.pods()
    for at in cycle(range(len(pods))):
        pods[at] = rollout.touch(pods[at], str(int(pods[at]["status"]["message"]) + 1))
        yield pods[at]

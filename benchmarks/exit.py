"""How long after the write that completes a rollout the `rollout status` that waits for it has ended.

The clock starts before the write is sent, so that its own round trip counts. Goal: 50 ms.
"""

import argparse
import time
from statistics import median

from benchmarks.processes import Started
from benchmarks.rollout import OBJECT, Rollout
from benchmarks.stage import sandbox
from benchmarks.tables import ms
from benchmarks.tables import table as lay_out

PODS = 3
LEAST_RUNS = 20
SETTLED_SECONDS = 0.3
"""After its first line the command opens its watches."""


def table(chosen: argparse.Namespace) -> str:
    runs = max(chosen.runs, LEAST_RUNS)
    with sandbox("--kruise", "crds", "--nodes", "0") as stage, stage.client() as client:
        rollout = Rollout(client, PODS)
        delays = []
        for _ in range(runs):
            rollout.report(complete=False)
            waiting = Started(["kubectl-kruise", "rollout", "status", OBJECT], stage.environment)
            waiting.read_line()
            time.sleep(SETTLED_SECONDS)
            sent = time.perf_counter()
            rollout.report(complete=True)
            done, output = waiting.finish()
            delays.append(time.perf_counter() - sent)
            if done.code:
                raise RuntimeError(output)
    delays.sort()
    late = sum(delay > 0.05 for delay in delays)
    figures = [
        ms(delays[0]),
        ms(median(delays)),
        ms(delays[int(0.9 * len(delays))]),
        ms(delays[-1]),
        str(late),
    ]
    return lay_out(
        "From the completing write to the end of rollout status",
        ("runs", "ms min", "median", "p90", "max", "over 50 ms"),
        [[str(runs), *figures]],
    )

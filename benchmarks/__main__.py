"""`python -m benchmarks [TABLE…]`: measures, prints tables, judges nothing but the budgets printed with them.

    python -m benchmarks                      every table (some minutes; use an idle machine)
    python -m benchmarks verbs --runs 20      one table, more runs
    python -m benchmarks verbs --kubeconfig FILE
                                              verbs against another server, in a namespace of its own that is removed
                                              afterwards; with our controller where no Kruise manager runs

Tables:

    verbs    whole processes next to `kubectl get clonesets` and bare Python, in turn, so that a machine that slows
             down slows all of them: wall and CPU time, peak memory, requests
    exit     from the write that completes a rollout to the end of the `rollout status` that waits for it
    wait     `rollout status` of a rollout that goes on: CPU share and peak memory over the pods of one CloneSet
    server   the sandbox's server: start, memory, GET and PATCH per second, events to several watchers
    fleet    large workloads on the sandbox, created and then updated in place: time, requests, memory
    migrate  a Deployment handed to a CloneSet and back, and a StatefulSet to an Advanced StatefulSet: time, memory, how
             long nobody owns a pod
    engine   one pass of the engines over many pods, no server involved

Times differ from machine to machine: compare ratios within one run. Minima are the least disturbed figures, medians
tell what a user of this machine sees. Needs `kubectl` and `kubectl-kruise` on the PATH, as in `make bench`.
"""

import argparse
import os
import signal
import sys
from importlib import import_module
from typing import Final

TABLES: Final = ("verbs", "exit", "wait", "server", "fleet", "migrate", "engine")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", type=_known, metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--runs", type=int, default=10, help="of every process that is timed (default 10)")
    parser.add_argument("--pods", type=int, default=1000, help="of the largest workload (default 1000)")
    parser.add_argument(
        "--kubeconfig", default="", help="tables verbs and migrate: this server instead of a sandbox"
    )
    chosen = parser.parse_args(arguments)
    # As on Ctrl-C, what was started is ended on the way out.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    # What is measured is an installed command: its bytecode is there, or is written at its first run.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in chosen.tables or TABLES:
        print(import_module(f"benchmarks.{name}").table(chosen), flush=True)
    return 0


def _known(name: str) -> str:
    if name not in TABLES:
        raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(TABLES)}")
    return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

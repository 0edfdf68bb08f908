"""`python -m tests.killwalk WAY…`: the whole kill walk on a real cluster, through the kubeconfig in use.

The way `random` takes odd Deployments there and back, killed at random moments. The cluster needs CloneSets and somebody who works on them: Kruise, or `kubectl kruise controller run`.
"""

import argparse
import sys
import time
from collections.abc import Callable

from tests.killwalk.lanes import Asked, walk
from tests.killwalk.wander import wander
from tests.killwalk.ways import WAYS

RANDOM = "random"


def main() -> int:
    """Walk the ways asked for; 0 when nothing was lost at any point."""
    parser = argparse.ArgumentParser(prog="python -m tests.killwalk", description=__doc__)
    parser.add_argument("ways", nargs="*", choices=[*WAYS, RANDOM, []], default=[*WAYS])
    parser.add_argument("--namespace", default="killwalk")
    parser.add_argument("--pods", type=int, default=2)
    parser.add_argument("--every", type=int, default=5, help="besides every write, every so many requests")
    parser.add_argument("--lanes", type=int, default=4, help="how many commands run, and die, side by side")
    parser.add_argument("--runs", type=int, default=40, help=f"Deployments of the way `{RANDOM}`")
    parser.add_argument("--seed", type=int, default=1, help="which ones, and when their commands die")
    chosen = parser.parse_args()
    wrong = 0
    for name in chosen.ways:
        if name == RANDOM:
            space = f"{chosen.namespace}-{name}"
            wrong += wander(chosen.runs, chosen.seed, space, chosen.lanes, teller(name))
            continue
        asked = Asked(f"{chosen.namespace}-{name}", chosen.pods, chosen.every, chosen.lanes)
        wrong += walk(WAYS[name], asked, teller(name))
    return 1 if wrong else 0


def teller(name: str) -> Callable[[str], None]:
    """Give what prints a line, with the way and the seconds since its start."""
    began = time.monotonic()
    return lambda text: print(f"{name} {time.monotonic() - began:4.0f}s: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

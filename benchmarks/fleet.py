"""Large workloads on the sandbox: created, then updated in place, both waited for by `rollout status`.

The Advanced StatefulSet is parallel and has half the pods of the CloneSet. `seconds` is from the write to the end of the
wait. Memory is of the sandbox's two processes at that moment. Requests are those of the controller for each pod, counted
with half the pods again, since the server remembers ten thousand requests; goals: 4.1 to create and 4.5 to update a pod of
a CloneSet, 3.2 and 4.3 one of an Advanced StatefulSet.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple

from benchmarks.processes import Run, run
from benchmarks.server import memory
from benchmarks.stage import Stage, cloneset, parallel_set, sandbox
from benchmarks.tables import table as lay_out

CONTROLLER: Final = "kruise-manager"
NODES: Final = 20
NAME: Final = "fleet"
IN_TURN: Final = {"maxUnavailable": "20%", "inPlaceUpdateStrategy": {"gracePeriodSeconds": 0}}


class Fleet(NamedTuple):
    """A kind of workload; `build` makes the manifest from the name and the number of pods, which is `share` of those chosen."""

    kind: str
    reference: str
    build: Callable[..., dict[str, Any]]
    share: float

    def pods(self, chosen: int) -> int:
        return max(1, int(chosen * self.share))


FLEETS: Final = (
    Fleet("CloneSet", f"cloneset/{NAME}", cloneset, 1.0),
    Fleet("Advanced StatefulSet", f"asts/{NAME}", parallel_set, 0.5),
)


def table(chosen: argparse.Namespace) -> str:
    headers = (
        "step", "pods", "seconds", "server MiB", "work MiB", "waiting: CPU s", "MiB", "requests/pod", "of which",
    )  # fmt: skip
    rows = [row for fleet in FLEETS for row in _rows(fleet, fleet.pods(chosen.pods))]
    return lay_out("Fleets on the sandbox", headers, rows, notes=["", __doc__.partition("\n\n")[2].rstrip()])


def _rows(fleet: Fleet, pods: int) -> list[list[str]]:
    with _stage() as stage:
        done = [_measured(stage, fleet, step, pods) for step in STEPS]
    # Afterwards: the answer is large, and a process counts the memory of this one as its own until it has its own.
    asked = _asked(fleet, max(1, pods // 2))
    return [[*first, *last] for first, last in zip(done, asked, strict=True)]


def _stage() -> AbstractContextManager[Stage]:
    return sandbox("--plain-http", "--nodes", str(NODES))


def _create(stage: Stage, fleet: Fleet, pods: int) -> Run:
    stage.create(fleet.build(NAME, pods, **IN_TURN))
    return _wait(stage, fleet)


def _update(stage: Stage, fleet: Fleet, _pods: int) -> Run:
    stage.call("kubectl-kruise", "set", "image", fleet.reference, "app=app:2")
    return _wait(stage, fleet)


def _wait(stage: Stage, fleet: Fleet) -> Run:
    command = ["kubectl-kruise", "rollout", "status", fleet.reference, "--until=done", "--timeout=900s"]
    return run(command, stage.environment)


def _requests(stage: Stage) -> Counter[str]:
    """Count the controllers' requests so far by verb and resource."""
    with stage.client() as client:
        logged = client.get("/sandbox/v1/requests")["requests"]
    return Counter(
        f"{entry['method']} {_resource(entry['path'])}"
        for entry in logged
        if entry["user_agent"].startswith(CONTROLLER)
    )


def _resource(path: str) -> str:
    """Give `pods/status` of a path in a namespace."""
    steps = path.partition("/namespaces/")[2].split("/")[1:]
    return "/".join(steps[::2]) or path


STEPS: Final = (_create, _update)


def _measured(stage: Stage, fleet: Fleet, step: Callable[[Stage, Fleet, int], Run], pods: int) -> list[str]:
    begun = time.perf_counter()
    waited = step(stage, fleet, pods)
    seconds = time.perf_counter() - begun
    sizes = (f"{size:.0f}" for size in memory(stage).values())
    name = f"{fleet.kind}, {step.__name__.lstrip('_')}"
    return [name, f"{pods:,}", f"{seconds:.0f}", *sizes, f"{waited.cpu:.1f}", f"{waited.peak:.0f}"]


def _asked(fleet: Fleet, pods: int) -> list[list[str]]:
    """Give the requests per pod of each step, all together and the most frequent ones."""
    lines: list[list[str]] = []
    with _stage() as stage:
        before = _requests(stage)  # to list and to watch what there is, however few pods there will be
        for step in STEPS:
            step(stage, fleet, pods)
            so_far = _requests(stage)
            own = so_far - before
            before = so_far
            parts = ", ".join(f"{name} {number / pods:.2f}" for name, number in own.most_common(5))
            lines.append([f"{own.total() / pods:.2f}", parts])
    return lines

"""A large CloneSet on the sandbox: created, then updated in place, both waited for by `rollout status`.

`seconds` is from the write to the end of the wait. Memory is of the sandbox's two processes at that moment. Requests are
those of the CloneSet controller for each pod, counted with a fleet of half that size, since the server remembers ten
thousand requests; goals: 4.1 to create, 4.5 to update.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from benchmarks.processes import Run, run
from benchmarks.server import memory
from benchmarks.stage import Stage, cloneset, sandbox
from benchmarks.tables import table as lay_out

NAME: Final = "fleet"
OBJECT: Final = f"cloneset/{NAME}"
CONTROLLER: Final = "kruise-manager"
NODES: Final = 20
STRATEGY: Final = {"maxUnavailable": "20%", "inPlaceUpdateStrategy": {"gracePeriodSeconds": 0}}


def table(chosen: argparse.Namespace) -> str:
    with _fleet() as stage:
        done = [_measured(stage, step, chosen.pods) for step in STEPS]
    # Afterwards: the answer is large, and a process counts the memory of this one as its own until it has its own.
    asked = _asked(max(1, chosen.pods // 2))
    rows = [[*first, *last] for first, last in zip(done, asked, strict=True)]
    headers = (
        "step", "pods", "seconds", "server MiB", "work MiB", "waiting: CPU s", "MiB", "requests/pod", "of which",
    )  # fmt: skip
    return lay_out("A fleet on the sandbox", headers, rows)


def _fleet() -> AbstractContextManager[Stage]:
    return sandbox("--plain-http", "--nodes", str(NODES))


def _create(stage: Stage, pods: int) -> Run:
    stage.create(cloneset(NAME, pods, **STRATEGY))
    return _wait(stage)


def _update(stage: Stage, _pods: int) -> Run:
    stage.call("kubectl-kruise", "set", "image", OBJECT, "app=app:2")
    return _wait(stage)


def _wait(stage: Stage) -> Run:
    command = ["kubectl-kruise", "rollout", "status", OBJECT, "--until=done", "--timeout=900s"]
    return run(command, stage.environment)


def _requests(stage: Stage) -> Counter[str]:
    """Count the controller's requests so far by verb and resource."""
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


def _measured(stage: Stage, step: Callable[[Stage, int], Run], pods: int) -> list[str]:
    begun = time.perf_counter()
    waited = step(stage, pods)
    seconds = time.perf_counter() - begun
    sizes = (f"{size:.0f}" for size in memory(stage).values())
    name = step.__name__.lstrip("_")
    return [name, f"{pods:,}", f"{seconds:.0f}", *sizes, f"{waited.cpu:.1f}", f"{waited.peak:.0f}"]


def _asked(pods: int) -> list[list[str]]:
    """Give the requests per pod of each step, all together and the most frequent ones."""
    lines: list[list[str]] = []
    with _fleet() as stage:
        before = _requests(stage)  # to list and to watch what there is, however few pods there will be
        for step in STEPS:
            step(stage, pods)
            so_far = _requests(stage)
            own = so_far - before
            before = so_far
            parts = ", ".join(f"{name} {number / pods:.2f}" for name, number in own.most_common(5))
            lines.append([f"{own.total() / pods:.2f}", parts])
    return lines

"""Verbs as whole processes, next to `kubectl get clonesets` and bare Python.

`x kubectl` is the wall time over that of `kubectl get clonesets`, by minima; `goal` is what it should not exceed: 1.6
times what the official Go plugin takes for the same (measured on a real server: 3.5 for `rollout status`, there 2.5
in all). `requests` counts what one run asks with a warm discovery cache, `goal` what the plugin asks; a `rollout
status` that waits may hold one more watch, and `--delete-pod` asks for autoscalers that would undo it. `MiB` is the
peak of resident memory, `<` where it is below what this program itself takes; the plugin takes 45 to 47.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import count
from typing import Final, NamedTuple

from benchmarks.counting import counted
from benchmarks.processes import Figures, Run, figures, floor, run
from benchmarks.stage import NAMESPACE, Stage, cloneset, other_server, sandbox
from benchmarks.tables import ms, ratio
from benchmarks.tables import table as lay_out

NAME: Final = "bench"
REPLICAS: Final = 3
OBJECT: Final = f"cloneset/{NAME}"
YARDSTICK: Final = "kubectl get clonesets"
BARE: Final = "python -c pass"


class Row(NamedTuple):
    """`goal` is a ratio to the yardstick, `requests` the plugin's number; 0 where there is no such goal."""

    command: str
    goal: float = 0
    requests: int = 0


SET_IMAGE: Final = f"kubectl-kruise set image {OBJECT} app=app:NEW"
UNDO: Final = f"kubectl-kruise rollout undo {OBJECT}"
SCALE_DOWN: Final = f"kubectl-kruise scaledown CloneSet/{NAME} --pods POD"
DELETE_POD: Final = f"kubectl-kruise scale {OBJECT} --delete-pod POD"
ROWS: Final = (
    Row(BARE),
    Row(YARDSTICK),
    Row("kubectl-kruise --version"),
    Row("kubectl-kruise --help"),
    Row("kubectl-kruise get clonesets"),
    Row(f"kubectl-kruise rollout status {OBJECT} --watch=false", 2.5, 3),
    Row(f"kubectl-kruise rollout status {OBJECT}", 2.5, 3),
    Row(f"kubectl-kruise rollout history {OBJECT}", 1.92, 3),
    Row(f"kubectl-kruise rollout pause {OBJECT}", 2.24, 2),
    Row(f"kubectl-kruise rollout resume {OBJECT}", 2.24, 2),
    Row(SET_IMAGE, 2.56, 2),
    Row(UNDO, 2.4, 4),
    Row(SCALE_DOWN, 4.64, 3),
    Row(DELETE_POD),
)
NEWEST_LAST: Final = "--sort-by=.metadata.creationTimestamp"
"""An old one may be about to end."""
SETTLED: Final = {YARDSTICK, UNDO, SCALE_DOWN, DELETE_POD}
"""What is run when the rollout before it is done; the reads behind the yardstick, too."""


def table(chosen: argparse.Namespace) -> str:
    with _stage(chosen.kubeconfig) as stage:
        stage.create(cloneset(NAME, REPLICAS))
        play = _Play(stage)
        for _ in play.commands():  # caches and bytecode
            pass
        runs: dict[str, list[Run]] = {row.command: [] for row in ROWS}
        for _ in range(chosen.runs):
            for row, command in play.commands():
                runs[row.command].append(run(command, stage.environment))
        asked = _requests(stage, NAMESPACE if chosen.kubeconfig else "default")
    measured = {name: figures(found) for name, found in runs.items()}
    where = "another server" if chosen.kubeconfig else "the sandbox"
    return lay_out(
        f"Whole processes on {where}, {chosen.runs} runs each in turn",
        ("command", "ms min", "median", "CPU ms", "x kubectl", "goal", "x CPU", "MiB", "requests", "goal"),
        [_line(row, measured, asked) for row in ROWS],
        notes=["", __doc__.partition("\n\n")[2].rstrip()],
    )


def _stage(kubeconfig: str) -> AbstractContextManager[Stage]:
    return other_server(kubeconfig) if kubeconfig else sandbox()


class _Play:
    """Goes through all rows again and again, each on the state that it needs."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._images = count(2)

    def commands(self) -> Iterator[tuple[Row, list[str]]]:
        for row in ROWS:
            command = row.command.replace("python", sys.executable)
            if row.command in (SCALE_DOWN, DELETE_POD):
                self._stage.call("kubectl", "scale", OBJECT, f"--replicas={REPLICAS}")
            if row.command in SETTLED:
                self._settle()
            if "POD" in command:
                names = self._stage.call(
                    "kubectl", "get", "pods", "-o=name", f"-lapp={NAME}", NEWEST_LAST
                ).split()
                command = command.replace("POD", names[-1].rpartition("/")[2])
            yield row, command.replace("NEW", str(next(self._images))).split()

    def _settle(self) -> None:
        self._stage.call("kubectl-kruise", "rollout", "status", OBJECT, "--timeout=60s", "--until=done")


def _requests(stage: Stage, namespace: str) -> dict[str, int]:
    with counted(stage, namespace) as (counter, through):
        play = _Play(stage)
        for warm_up in (YARDSTICK, "kubectl-kruise get clonesets"):
            through.call(*warm_up.split())
        asked = {}
        for row, command in play.commands():
            counter.take()
            run(command, through.environment)
            asked[row.command] = len(counter.take())
    return asked


def _line(row: Row, measured: dict[str, Figures], asked: dict[str, int]) -> list[str]:
    own, yardstick = measured[row.command], measured[YARDSTICK]
    return [
        row.command,
        ms(own.least_wall),
        ms(own.wall),
        ms(own.least_cpu),
        ratio(own.least_wall, yardstick.least_wall),
        f"{row.goal:.2f}" if row.goal else "",
        ratio(own.least_cpu, yardstick.least_cpu),
        f"{own.peak:.0f}" if own.peak > floor() + 1 else f"<{floor():.0f}",
        str(asked[row.command]),
        str(row.requests or ""),
    ]

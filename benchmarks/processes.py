"""One run of one command, as the operating system accounts for it."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in one unit of `ru_maxrss`."""


class Run(NamedTuple):
    """`wall` and `cpu` (user and system) are seconds, `peak` is the largest resident set in MiB."""

    wall: float
    cpu: float
    peak: float
    code: int


class Figures(NamedTuple):
    """What several runs of one command come to."""

    least_wall: float
    wall: float
    least_cpu: float
    cpu: float
    peak: float


class Started:
    """A process that runs; `finish` waits for it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._head = ""
        self._begun = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def read_line(self) -> str:
        """Wait for a line that the command prints."""
        assert self.process.stdout is not None
        line = self._head = self.process.stdout.readline()
        return line

    def running(self) -> bool:
        """Say whether it still runs, without reaping it."""
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None

    def finish(self) -> tuple[Run, str]:
        """Wait for the end; give its costs and all that it printed."""
        assert self.process.stdout is not None
        output = self._head + self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        wall = time.perf_counter() - self._begun
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdout.close()
        cpu = usage.ru_utime + usage.ru_stime
        return Run(wall, cpu, usage.ru_maxrss * _UNIT / 2**20, code), output


def run(command: Sequence[str], environment: Mapping[str, str], *, expect: int = 0) -> Run:
    """Run a command to its end; a RuntimeError with what it said where its exit code is another than `expect`."""
    done, output = Started(command, environment).finish()
    if done.code != expect:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.code}\n{output}")
    return done


def floor() -> float:
    """Give the peak memory of this program in MiB: a process counts that of its parent until it has its own."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / 2**20


def figures(runs: Sequence[Run]) -> Figures:
    walls, cpus = [run.wall for run in runs], [run.cpu for run in runs]
    return Figures(min(walls), median(walls), min(cpus), median(cpus), max(run.peak for run in runs))

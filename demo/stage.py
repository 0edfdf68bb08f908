"""Runs the chapters: prints each command before it runs it, shows what it says, and insists on its exit code."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.stage import other_server
from demo.chapters import CHAPTERS, Chapter, Step

ROOT = Path(__file__).parent.parent


class Played(NamedTuple):
    """A step and what it printed (stdout and stderr as they came)."""

    step: Step
    output: str


class UnexpectedExitError(Exception):
    """A command of the demo ended otherwise than the tour says."""


@contextmanager
def stage() -> Iterator[dict[str, str]]:
    """Give an environment with state of its own, so that a sandbox of the user's is not touched; always cleans up."""
    with tempfile.TemporaryDirectory(prefix="kubectl-kruise-demo-") as folder:
        kubeconfig = f"{folder}/kubeconfig"
        environment = os.environ | {
            "XDG_STATE_HOME": f"{folder}/state",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "KUBECACHEDIR": f"{folder}/kube-cache",
            "SANDBOX_KUBECONFIG": kubeconfig,
            "KUBECONFIG": kubeconfig,
            "NOTES": folder,
        }
        try:
            yield environment
        finally:
            subprocess.run(
                ["kubectl-kruise", "sandbox", "stop"], env=environment, capture_output=True, check=False
            )


@contextmanager
def guest(kubeconfig: str) -> Iterator[dict[str, str]]:
    """Give an environment for a namespace on a cluster that is there already; the namespace goes in the end."""
    with other_server(kubeconfig, "kruise-demo") as somewhere:
        yield somewhere.environment | {"NOTES": str(somewhere.folder)}


def play(
    environment: dict[str, str], say: Callable[[str], None], chapters: Sequence[Chapter] = CHAPTERS
) -> list[tuple[Chapter, list[Played]]]:
    """Play chapters; give what each step printed. Raises UnexpectedExitError."""
    return [(chapter, _play_chapter(chapter, environment, say)) for chapter in chapters]


def _play_chapter(chapter: Chapter, environment: dict[str, str], say: Callable[[str], None]) -> list[Played]:
    say(f"\n=== {chapter.title} ===\n{chapter.text}\n")
    return [Played(step, _run(step, environment, say)) for step in chapter.steps]


def _run(step: Step, environment: dict[str, str], say: Callable[[str], None]) -> str:
    say(f"$ {typed(step)}")
    lines = []
    with subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", step.command],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if not step.capture:
                say(line.rstrip("\n"))
    if process.returncode != step.exit_code:
        raise UnexpectedExitError(
            f"exit code {process.returncode}, not {step.exit_code}: {step.command}\n{''.join(lines)}"
        )
    if step.exit_code:
        say(f"(exit code {step.exit_code})")
    output = "".join(lines).replace(environment["XDG_STATE_HOME"], "~/.local/state")
    if step.capture:
        environment[step.capture] = output.strip()
        return ""
    return output


def typed(step: Step) -> str:
    return f"{step.capture}=$({step.command})" if step.capture else step.command

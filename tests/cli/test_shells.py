"""The completion scripts, as the shells and kubectl call them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

KUBECTL = Path(sys.executable).with_name("kubectl")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Give a PATH where `kubectl-kruise` is this checkout and the helper of kubectl lies beside it."""
    command = tmp_path / "kubectl-kruise"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubectl_kruise "$@"\n')
    helper = tmp_path / "kubectl_complete-kruise"
    helper.write_text((ROOT / "completions" / "kubectl_complete-kruise").read_text())
    for file in (command, helper):
        file.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def test_bash_offers_what_is_possible(environment: dict[str, str]) -> None:
    script = (
        f"source {ROOT}/completions/kubectl-kruise.bash\n"
        "COMP_WORDS=(kubectl-kruise -n shop rollout pa)\nCOMP_CWORD=4\n_kubectl_kruise\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )

    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["pause", "partition"]


def test_kubectl_completes_the_plugin(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [KUBECTL, "__complete", "kruise", "rollout", "und"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "undo\tGo back to an earlier revision.\n:4\n"


def test_kubectl_runs_the_plugin(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [KUBECTL, "kruise", "version"], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("kubectl-kruise ")

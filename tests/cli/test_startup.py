"""What a route may import: exact, where a stopwatch would be flaky."""

import json
import subprocess
import sys

import pytest

PROBE = """
import json, sys
from kubectl_kruise.__main__ import main
code = main(sys.argv[1:])
print("\\n" + json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
HEAVY = {
    "rich", "kubernetes", "urllib3", "deepdiff", "jsonpatch", "asyncio", "uvicorn", "pydantic", "cryptography",
    "markdown_it", "pygments", "multiprocessing", "logging", "kubectl_kruise.sandbox",
}  # fmt: skip
NO_CONNECTION = HEAVY | {"yaml", "http.client", "ssl", "kubectl_kruise.cluster.client"}
NO_TYPER = NO_CONNECTION | {"typer", "inspect", "dataclasses"}
"""The import of typer alone takes five times what bare Python takes."""


def modules(args: list[str], **env: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *args], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "args",
    [
        ["--version"],
        ["--help"],
        ["rollout"],
        ["rollout", "pausr"],
        ["__complete", "p"],
        ["__complete", "get", "--"],
    ],
    ids=" ".join,
)
def test_what_the_catalog_answers_never_loads_typer(args: list[str]) -> None:
    assert not NO_TYPER & modules(args)


@pytest.mark.parametrize(
    "args",
    [["rollout", "pause", "--help"], ["scale", "--replicas", "-1", "cs/web"], ["help", "exit-codes"], ["options"],
     ["completion", "bash"], ["version"]],
    ids=" ".join,
)  # fmt: skip
def test_what_needs_no_cluster_loads_no_connection(args: list[str]) -> None:
    assert not NO_CONNECTION & modules(args)

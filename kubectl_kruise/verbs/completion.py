"""Print the completion script of a shell."""

from typing import Annotated

import typer

from kubectl_kruise.cli.completion.scripts import FILES, SHELLS, script
from kubectl_kruise.errors import UsageError

Shell = Annotated[str, typer.Argument(metavar="bash|zsh|fish|powershell|kubectl", show_default=False)]


def completion(ctx: typer.Context, shell: Shell = "") -> None:
    """Print the completion script of a shell.

    The shells' scripts complete kubectl-kruise. The one for kubectl makes `kubectl kruise` complete in any shell
    where kubectl does: save it on the PATH as kubectl_complete-kruise and make it executable.

    Examples:
      # In this shell only
      source <(kubectl kruise completion bash)
      # For kubectl kruise
      kubectl kruise completion kubectl > ~/.local/bin/kubectl_complete-kruise
      chmod +x ~/.local/bin/kubectl_complete-kruise
    """
    if shell not in FILES:
        said = f'no completion for "{shell}"' if shell else "no shell named"
        raise UsageError(said, hint=f"one of {', '.join(SHELLS)}")
    ctx.obj.show(script(shell))

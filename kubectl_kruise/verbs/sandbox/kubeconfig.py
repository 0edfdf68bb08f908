"""Print the sandbox's kubeconfig."""

import typer

from kubectl_kruise.cli.session import Session
from kubectl_kruise.verbs.sandbox import running


def kubeconfig(ctx: typer.Context) -> None:
    """Print the sandbox's kubeconfig.

    It holds the token: whoever reads it may do everything in the sandbox.

    Examples:
      # A file of one's own
      kubectl kruise sandbox kubeconfig > sandbox.yaml
    """
    session: Session = ctx.obj
    session.say(running().state.kubeconfig.read_text("utf-8").rstrip("\n"))

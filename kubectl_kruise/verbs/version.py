"""Print the version of this command."""

import typer

from kubectl_kruise import __version__


def version(ctx: typer.Context) -> None:
    """Print the version of this command."""
    ctx.obj.say(f"kubectl-kruise {__version__}")

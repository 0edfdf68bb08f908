"""Stop the sandbox."""

import os

import typer

from kubectl_kruise.cli.session import Session


def stop(ctx: typer.Context) -> None:
    """Stop the sandbox.

    Both processes end and what was in it is gone. Stopping one that does not run is no failure.
    """
    from kubectl_kruise.sandbox import processes
    from kubectl_kruise.sandbox.state import State, state_folder

    session: Session = ctx.obj
    stopped = processes.stop(State(state_folder(os.environ)))
    session.say("sandbox stopped" if stopped else "sandbox does not run")

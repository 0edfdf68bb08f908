"""Say whether the sandbox runs, and where."""

import os

import typer

from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import ServerError


def status(ctx: typer.Context) -> int:
    """Say whether the sandbox runs, and where.

    Exit code 0 when it runs, 4 when it does not, 1 when a part of it has died.
    """
    from kubectl_kruise.sandbox import processes
    from kubectl_kruise.sandbox.state import State, state_folder

    session: Session = ctx.obj
    state = State(state_folder(os.environ))
    health = processes.look(state)
    if health.record is None:
        session.say("sandbox does not run")
        return 4
    if health.dead:
        raise ServerError(
            f"the sandbox's {' and '.join(health.dead)} died",
            cause=f"see {state.log(health.dead[0])}",
            hint="kubectl kruise sandbox start",
        )
    record = health.record
    session.say(f"sandbox runs at {record.server}")
    session.say(f"kubeconfig: {state.kubeconfig}")
    session.say(f"kruise: {record.settings.kruise}, nodes: {record.settings.nodes}")
    return 0

"""Remove everything from the sandbox."""

import typer

from kubectl_kruise.cli.session import Session
from kubectl_kruise.verbs.sandbox import running


def reset(ctx: typer.Context) -> None:
    """Remove everything from the sandbox.

    It is as it was after its start: the first namespaces, Kruise's CRDs and the nodes; versions go on counting.
    """
    from kubectl_kruise.sandbox import processes

    session: Session = ctx.obj
    state, record = running()
    processes.reset(state, record)
    session.say("sandbox reset")

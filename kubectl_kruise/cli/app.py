"""From the words of a command line to the verb that runs: flags first, then the catalog, then Typer."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubectl_kruise.cli.flags import split_flags
from kubectl_kruise.cli.words import Overview, find_verb
from kubectl_kruise.errors import KruiseError

if TYPE_CHECKING:
    from kubectl_kruise.cli.session import Connect
    from kubectl_kruise.cluster.clock import Clock


def run(args: Sequence[str], *, connect: "Connect | None" = None, clock: "Clock | None" = None) -> int:
    """Run one command line and give its exit code; raises KruiseError.

    `connect` gives the cluster to work on, when the verb asks for it; by default the one of the kubeconfig.
    """
    words, flags = split_flags(args, os.environ)
    found = find_verb(words)
    if isinstance(found, Overview):
        from kubectl_kruise.cli.manual.overview import group_help, root_help

        print(group_help(found.group) if found.group else root_help(), end="")  # noqa: T201
        return 0
    from kubectl_kruise.cli import command
    from kubectl_kruise.cli.session import Session

    session = Session(flags, connect=connect, clock=clock)
    try:
        code = command.run(found.verb, found.rest, obj=session)
    finally:
        session.close()
    if flags.warnings_as_errors and session.warned:
        raise KruiseError(f"the server sent {session.warned} warning{'s' if session.warned > 1 else ''}")
    return code

"""Verbs about the sandbox; the only ones that import it, and that only when they run."""

import os
from typing import TYPE_CHECKING, NamedTuple

from kubectl_kruise.errors import NotFoundError, ServerError

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.state import Record, State


class Running(NamedTuple):
    """A sandbox whose server runs."""

    state: "State"
    record: "Record"


def running() -> Running:
    """Give the sandbox that runs. Raises NotFoundError where none does, ServerError where its server died."""
    from kubectl_kruise.sandbox import processes
    from kubectl_kruise.sandbox.state import State, state_folder

    state = State(state_folder(os.environ))
    health = processes.look(state)
    if health.record is None:
        raise NotFoundError("the sandbox does not run", hint="kubectl kruise sandbox start")
    if processes.SERVER in health.dead:
        raise ServerError("the sandbox's server died", hint="kubectl kruise sandbox start")
    return Running(state, health.record)

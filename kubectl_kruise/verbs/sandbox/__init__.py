"""Verbs about the sandbox; the only ones that import it, and that only when they run."""

import os
from typing import TYPE_CHECKING

from kubectl_kruise.errors import NotFoundError, ServerError

if TYPE_CHECKING:
    from kubectl_kruise.sandbox.state import State


def running_state() -> "State":
    """Give the state folder of a sandbox that runs. Raises NotFoundError where none does, ServerError where it died."""
    from kubectl_kruise.sandbox import processes
    from kubectl_kruise.sandbox.state import State, state_folder

    state = State(state_folder(os.environ))
    health = processes.look(state)
    if health.record is None:
        raise NotFoundError("the sandbox does not run", hint="kubectl kruise sandbox start")
    if processes.SERVER in health.dead:
        raise ServerError("the sandbox's server died", hint="kubectl kruise sandbox start")
    return state

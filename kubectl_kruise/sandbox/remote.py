"""The hooks of a sandbox that runs in other processes (sandbox-apiserver.md §22)."""

from kubectl_kruise.sandbox.processes import client_of
from kubectl_kruise.sandbox.state import State


def reset_server(state: State) -> None:
    """Have the server forget everything; nodes come back by themselves."""
    with client_of(state.kubeconfig) as client:
        client.create("/sandbox/v1/reset", {})

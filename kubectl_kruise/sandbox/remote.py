"""The hooks of a sandbox that runs in other processes (sandbox-apiserver.md §22)."""

from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.sandbox.state import State


def reset_server(state: State) -> None:
    """Have the server forget everything; nodes come back by themselves."""
    connect(ConnectionFlags(kubeconfig=str(state.kubeconfig))).create("/sandbox/v1/reset", {})

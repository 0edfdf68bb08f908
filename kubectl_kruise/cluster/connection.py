"""From kubectl's connection flags to a client."""

from collections.abc import Callable
from typing import NamedTuple

from kubectl_kruise.cluster.client import Client


class ConnectionFlags(NamedTuple):
    """kubectl's connection flags as typed; "" and () for absent ones."""

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    server: str = ""
    token: str = ""
    certificate_authority: str = ""
    client_certificate: str = ""
    client_key: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    request_timeout: str = ""
    disable_compression: bool = False
    cache_dir: str = ""
    as_user: str = ""
    as_groups: tuple[str, ...] = ()
    as_uid: str = ""
    as_user_extra: tuple[str, ...] = ()


def connect(
    flags: ConnectionFlags, *, on_warning: Callable[[str], None] | None = None, verbosity: int = 0
) -> Client:
    """Make a client for what `flags`, the environment and the kubeconfig files say; nothing is sent yet."""
    raise NotImplementedError

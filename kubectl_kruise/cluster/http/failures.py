"""Failures of a connection, put into words once: what happened, what the system said, what to try."""

import socket
import ssl
from typing import Final

from kubectl_kruise.errors import UnreachableError
from kubectl_kruise.facts.names import SANDBOX_CONTEXT

CLUSTER_HINT: Final = "kubectl cluster-info"
SANDBOX_HINT: Final = "kubectl kruise sandbox start"


class ProxyError(OSError):
    """What a proxy says or does instead of leading to the server; `proxy` is its address without a password."""

    def __init__(self, said: str, *, wants_login: bool = False) -> None:
        super().__init__(said)
        self.said, self.wants_login = said, wants_login
        self.proxy = ""


def hint_for(context: str) -> str:
    """Say what to try where the server of a kubeconfig context does not answer."""
    return SANDBOX_HINT if context == SANDBOX_CONTEXT else CLUSTER_HINT


def unreachable(
    server: str, error: Exception, timeout: float | None, hint: str = CLUSTER_HINT
) -> UnreachableError:
    """Name the failure of a connection to `server`.

    `timeout` (seconds) is the bound that ran out, if one did; `hint` what to try where nobody answers.
    """
    match error:
        case ProxyError():
            return UnreachableError(
                f"the proxy {error.proxy} does not lead to {server}",
                cause=error.said,
                hint="give them in the address of the proxy: USER:PASSWORD@HOST" if error.wants_login else "",
            )
        case ssl.SSLCertVerificationError():
            return _untrusted(server, error)
        case ssl.SSLError():
            return _tls_failed(server, error)
        case socket.gaierror():
            return UnreachableError(
                f"cannot find the host of {server}",
                cause=error.strerror or str(error),
                hint="check the server address: kubectl config view --minify",
            )
        case ConnectionRefusedError():
            return UnreachableError(f"no server answers at {server}", cause="connection refused", hint=hint)
        case TimeoutError():
            within = f" within {timeout:g}s" if timeout else ""
            return UnreachableError(f"{server} did not answer{within}", cause="timed out", hint=hint)
        case _:
            # The name of the exception says most: http.client's often carry no text.
            cause = str(error) or type(error).__name__
            return UnreachableError(f"the connection to {server} broke off", cause=cause)


def _untrusted(server: str, error: ssl.SSLCertVerificationError) -> UnreachableError:
    said = error.verify_message or str(error)
    if "match" in said.lower():  # host name or IP address mismatch
        return UnreachableError(
            f"the certificate of {server} is for another name",
            cause=said,
            hint="name it with --tls-server-name, or correct the server address",
        )
    return UnreachableError(
        f"cannot verify the certificate of {server}",
        cause=said,
        hint="check certificate-authority of the cluster: kubectl config view --minify",
    )


def _tls_failed(server: str, error: ssl.SSLError) -> UnreachableError:
    reason = error.reason or str(error)
    if "WRONG_VERSION_NUMBER" in reason or "HTTP_REQUEST" in reason:
        return UnreachableError(
            f"{server} does not speak TLS",
            cause=reason,
            hint="does the server address want http:// or another port?",
        )
    if "ALERT" in reason:
        return UnreachableError(
            f"{server} refused the TLS connection",
            cause=reason,
            hint="check the client certificate of the user",
        )
    return UnreachableError(f"TLS with {server} failed", cause=reason)

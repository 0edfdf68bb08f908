"""TLS contexts from certificates held in memory; key material never stays on disk."""

import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kubectl_kruise.errors import KruiseError, UnreachableError

Identity = tuple[bytes, bytes]
"""A client certificate and its key, PEM; b"" for none."""

NOBODY: Final[Identity] = (b"", b"")

Identify = Callable[[], Identity]
"""Gives the identity for a new connection; another one than before where it has been rotated."""


class TlsSettings:
    """Gives the context for a new connection: the same one until the client certificate changes."""

    def __init__(self, identify: Identify, *, authority: bytes = b"", insecure: bool = False) -> None:
        self._identify, self._authority, self._insecure = identify, authority, insecure
        self._made: tuple[Identity, ssl.SSLContext] | None = None

    def context(self) -> ssl.SSLContext:
        """Make a context, or give the last one; KruiseError for material that cannot be used."""
        made = self._made
        try:
            identity = self._identify()
            if made is None or identity != made[0]:
                certificate, key = identity
                context = tls_context(
                    authority=self._authority, certificate=certificate, key=key, insecure=self._insecure
                )
                made = self._made = (identity, context)
        except KruiseError:
            # Of files that are being rotated one may be new and the other not yet.
            if made is None:
                raise
        return made[1]


def tls_context(
    *, authority: bytes = b"", certificate: bytes = b"", key: bytes = b"", insecure: bool = False
) -> ssl.SSLContext:
    """Make a client context from PEM bytes; without `authority` the system's store is trusted.

    Raises UnreachableError for material that is no certificate or key, that is encrypted, or that does not match.
    """
    # Not ssl.create_default_context: its strict mode (Python 3.13) refuses authorities without key identifiers,
    # which many cluster installers still make.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # What a kubeconfig names as authority is trusted as such, also where it is none that signed itself, and a host is
    # one that the certificate names as such: both as in Go.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.hostname_checks_common_name = False
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif authority:
        _trust(context, authority)
    else:
        context.load_default_certs()
    if certificate or key:
        _present(context, certificate, key)
    return context


def _trust(context: ssl.SSLContext, authority: bytes) -> None:
    try:
        context.load_verify_locations(cadata=authority.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError) as error:
        raise UnreachableError(
            "the certificate authority is not a PEM certificate", cause=str(error)
        ) from error


def _present(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    if not certificate or not key:
        missing = "key" if certificate else "certificate"
        raise UnreachableError(
            f"the user has a client {'certificate' if certificate else 'key'} but no client {missing}"
        )
    with _readable(certificate.rstrip() + b"\n" + key) as path:
        try:
            context.load_cert_chain(path, password=_refuse_passphrase)
        except ssl.SSLError as error:
            text = "do not match" if "MISMATCH" in str(error) else "cannot be read"
            raise UnreachableError(
                f"the client certificate and key {text}", cause=error.reason or str(error)
            ) from error


def _refuse_passphrase() -> bytes:
    raise UnreachableError(
        "the client key is encrypted",
        hint="decrypt it (openssl pkey -in KEY -out PLAIN) or use an exec plugin",
    )


@contextmanager
def _readable(pem: bytes) -> Iterator[str]:
    """Give a path that OpenSSL can read `pem` from: in memory where the system allows it, else a 0600 file, briefly."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("client-certificate", os.MFD_CLOEXEC)
        path, unlink = f"/proc/self/fd/{descriptor}", False
        if not os.path.exists(path):  # noqa: PTH110 - a container without /proc
            os.close(descriptor)
            (descriptor, path), unlink = _private_file(), True
    else:
        (descriptor, path), unlink = _private_file(), True
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            yield path
    finally:
        if unlink:
            os.unlink(path)  # noqa: PTH108


def _private_file() -> tuple[int, str]:
    import tempfile

    return tempfile.mkstemp()

"""TLS contexts from certificates held in memory; key material never stays on disk."""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from kubectl_kruise.errors import UnreachableError


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

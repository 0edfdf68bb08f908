"""What says who asks, whatever it comes from: headers of each request, certificate and key of the TLS handshake."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from kubectl_kruise.cluster.http.transport import Authorize
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw


class Credentials(NamedTuple):
    """`authorize` gives the headers of a request; certificate and key are PEM, b"" for none."""

    authorize: Authorize
    certificate: bytes = b""
    key: bytes = b""


def read_pem(entry: Raw, field: str) -> bytes:
    """Give the bytes of `FIELD-data` (base64), else of the file that `FIELD` names, else b"".

    Raises UsageError for data that is not base64 and for a file that cannot be read.
    """
    if data := entry.get(f"{field}-data"):
        try:
            return base64.b64decode("".join(data.split()), validate=True)
        except ValueError as error:
            raise UsageError(f"{field}-data is not base64", cause=str(error)) from error
    if not (path := entry.get(field)):
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {field} {path}", cause=error.strerror or str(error)) from error


def bearer(token: str) -> Mapping[str, str]:
    """Give the header of a bearer token; UsageError, which does not show it, for one that fits into no header."""
    if not (token.isascii() and token.isprintable()):
        raise UsageError("the token holds a line break or another character that no header can carry")
    return {"Authorization": f"Bearer {token}"}

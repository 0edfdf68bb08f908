"""What says who asks, whatever it comes from: headers of each request, certificate and key of the TLS handshake."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from kubectl_kruise.cluster.http.tls import NOBODY, Identify, Identity
from kubectl_kruise.cluster.http.transport import Authorize, Renew, never
from kubectl_kruise.cluster.login.shape import decode_base64
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw


def nobody() -> Identity:
    """Show no client certificate."""
    return NOBODY


class Credentials(NamedTuple):
    """`authorize` gives the headers of a request, `identify` the client certificate of a connection.

    `renew` is told which headers the server did not accept (401) and says whether others are to be had now.
    """

    authorize: Authorize = dict
    identify: Identify = nobody
    renew: Renew = never


def read_pem(entry: Raw, field: str) -> bytes:
    """Give the bytes of `FIELD-data` (base64), else of the file that `FIELD` names, else b"".

    Raises UsageError for data that is not base64 and for a file that cannot be read.
    """
    if data := entry.get(f"{field}-data"):
        try:
            return decode_base64(data)
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
    if any(character < " " or character == "\x7f" for character in token):
        raise UsageError("the token holds a line break or another character that no header can carry")
    return {"Authorization": f"Bearer {token}"}

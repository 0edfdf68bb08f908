"""Acting as another user: what each request then says (cli.md §3.1)."""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw

FIELDS: Final = ("as", "as-uid", "as-groups", "as-user-extra")
_LEGAL: Final = frozenset("!#$&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


def read_extra(pairs: Sequence[str]) -> dict[str, list[str]]:
    """Read the values of `--as-user-extra`, KEY=VALUE each; UsageError for other text."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError("--as-user-extra takes KEY=VALUE")
        found.setdefault(key, []).append(value)
    return found


def acting_as(user: Raw, name: str) -> tuple[tuple[str, str], ...]:
    """Give the headers, of which some may repeat, for the fields `as`, `as-uid`, `as-groups` and `as-user-extra`.

    Raises UsageError where a UID, groups or extras come without a user, and for a value that no header can carry.
    """
    if not user.get("as"):
        if any(user.get(field) for field in FIELDS):
            raise UsageError(
                f'user "{name}" asks for a UID, groups or extras of another user without naming that user',
                hint="name it with --as, or as `as` of the user entry",
            )
        return ()
    headers = [("Impersonate-User", user["as"])]
    if user.get("as-uid"):
        headers.append(("Impersonate-Uid", user["as-uid"]))
    headers += [("Impersonate-Group", group) for group in user.get("as-groups", ())]
    for key, values in user.get("as-user-extra", {}).items():
        headers += [(f"Impersonate-Extra-{_escape(key)}", value) for value in values]
    for header, value in headers:
        if any(character < " " or character == "\x7f" for character in value):
            raise UsageError(f"the value of {header} holds a character that no header can carry")
    return tuple(headers)


def _escape(key: str) -> str:
    """Write what a header name cannot hold as %XX, byte by byte."""
    return "".join(chr(byte) if chr(byte) in _LEGAL else f"%{byte:02X}" for byte in key.encode())

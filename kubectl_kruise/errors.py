"""Failures the user can act on, each with its exit code (cli.md §3.5)."""

import signal
from collections.abc import Mapping
from typing import Any, ClassVar


class KruiseError(Exception):
    """A failure the user can act on; anything else that escapes is a bug (exit 70).

    `message` says what failed and names the object, `cause` what the server or file said, `hint` one next
    command. `status` is the API server's Status object where the failure is an answer of a server.
    """

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(
        self, message: str, *, cause: str = "", hint: str = "", status: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.cause, self.hint = message, cause, hint
        self.status: Mapping[str, Any] = status or {}

    @property
    def http(self) -> int:
        """HTTP code of the server's answer, 0 where no server answered."""
        return int(self.status.get("code") or 0)

    @property
    def reason(self) -> str:
        """Reason of the server's answer (`NotFound`, `Conflict`, …), "" where there is none."""
        return str(self.status.get("reason") or "")

    def line(self) -> str:
        """Give the text for a log."""
        return f"{self.message}: {self.cause}" if self.cause else self.message

    def lines(self) -> list[str]:
        """Give the text for stderr: at most three lines."""
        more = [f"  {label}: {text}" for label, text in (("cause", self.cause), ("hint", self.hint)) if text]
        return [f"error: {self.message}", *more]


class StoppedError(KruiseError):
    """The user wants to stop, by the signal of this number; what was begun can be resumed."""

    code = "stopped"

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.exit_code = 128 + number  # type: ignore[misc]


class ServerError(KruiseError):
    """The server refused or failed: validation, admission, 5xx."""

    code = "server"


class NoDaemonError(KruiseError):
    """Nobody on the pods' nodes restarts containers: no Kruise, or no node daemon of it."""

    code = "no-daemon"


class UsageError(KruiseError):
    code = "usage"
    exit_code = 2


class RefusedError(KruiseError):
    """Refused for safety: a precondition, an owner, a missing confirmation."""

    code = "refused"
    exit_code = 3


class NotFoundError(KruiseError):
    code = "not-found"
    exit_code = 4


class UnknownTypeError(NotFoundError):
    """The server does not serve this resource type at all, or not in this version: no CRD rather than no object."""

    code = "unknown-type"


class NotAllowedError(KruiseError):
    """401 or 403."""

    code = "not-allowed"
    exit_code = 5


class ConflictError(KruiseError):
    """409 after retries, a name that is taken, or a superseded revision."""

    code = "conflict"
    exit_code = 6


class UnreachableError(KruiseError):
    """No server, TLS failure, or a credentials plugin that failed."""

    code = "unreachable"
    exit_code = 7


class ExpiredError(KruiseError):
    """410: a resourceVersion or continue token is too old; list again."""

    code = "expired"


class TimedOutError(KruiseError):
    code = "timed-out"
    exit_code = 124

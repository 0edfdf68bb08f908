"""Who works on a migration: one run at a time, and nobody for ever (migration.md §4.1, P-BUSY)."""

import os
import socket
from pathlib import Path
from typing import Final

from kubectl_kruise.engine.migration.journal import Journal
from kubectl_kruise.objects.notation.timestamp import parse_rfc3339
from kubectl_kruise.operations.migrate.trouble import BusyError

STALE_SECONDS: Final = 600.0
"""Without a sign of life for so long, a run counts as dead wherever it ran."""

RENEW_SECONDS: Final = 60.0


def this_process() -> str:
    """Name this process to other runs: `host/pid`."""
    return f"{socket.gethostname()}/{os.getpid()}"


def check_free(journal: Journal, me: str, now: float, *, steal: bool = False) -> None:
    """Raise BusyError where another run that may be alive works on a migration."""
    holder = journal.holder
    if steal or holder in ("", me) or _dead(holder):
        return
    silent = now - (parse_rfc3339(journal.renewed_at) or 0.0)
    if silent >= STALE_SECONDS:
        return
    source = journal.source
    raise BusyError(
        f"{source.kind} {source.name} is being migrated by {holder}, alive {max(silent, 0):.0f}s ago (P-BUSY)",
        hint="wait for it; where you know that it is dead, --steal takes over",
    )


def _dead(holder: str) -> bool:
    """Say whether a holder ran on this machine and does not any more."""
    host, _, pid = holder.rpartition("/")
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _zombie(pid)


def _zombie(pid: str) -> bool:
    """Say whether a process has ended and only waits for its parent to notice; False where nobody can tell."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[:1] == ["Z"]

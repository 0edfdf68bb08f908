"""Whether the run that holds a journal is still there (migration.md §4.1, P-BUSY)."""

import os
import socket
import subprocess
import sys

import pytest

from kubectl_kruise.engine.migration.journal import Journal, Mode, Reference
from kubectl_kruise.objects.notation.timestamp import rfc3339
from kubectl_kruise.operations.migrate.journal.holding import STALE_SECONDS, check_free, this_process
from kubectl_kruise.operations.migrate.trouble import BusyError

NOW = 1_700_000_000.0


def held_by(holder: str, *, silent: float = 0.0) -> Journal:
    source = Reference("Deployment", "web", "apps/v1")
    target = Reference("CloneSet", "web", "apps.kruise.io/v1alpha1")
    then = rfc3339(NOW - silent)
    return Journal("1", Mode.ADOPT, source, target, 4, then, holder=holder, renewed_at=then)


def test_who_is_alive_is_not_disturbed() -> None:
    parent = f"{socket.gethostname()}/{os.getppid()}"

    with pytest.raises(BusyError, match="alive 5s ago"):
        check_free(held_by(parent, silent=5), this_process(), NOW)
    check_free(held_by(parent, silent=5), this_process(), NOW, steal=True)


@pytest.mark.parametrize("holder", ["", this_process()], ids=["nobody", "this process"])
def test_what_nobody_else_holds_is_free(holder: str) -> None:
    check_free(held_by(holder), this_process(), NOW)


def test_silence_elsewhere_is_death_after_a_while() -> None:
    with pytest.raises(BusyError):
        check_free(held_by("elsewhere/1", silent=STALE_SECONDS - 1), this_process(), NOW)
    check_free(held_by("elsewhere/1", silent=STALE_SECONDS), this_process(), NOW)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_process_is_dead_though_nobody_has_waited_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)

        check_free(held_by(f"{socket.gethostname()}/{ended.pid}"), this_process(), NOW)

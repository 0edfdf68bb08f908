"""What is said when the fault is ours: one paragraph, the trace in a file, exit code 70 (cli.md §4.7)."""

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kubectl_kruise import __version__
from kubectl_kruise.cli.catalog import PROGRAM

EXIT_CODE: Final = 70
_SECRET: Final = ("--token", "--password")


def report_bug(bug: BaseException, args: Sequence[str], *, verbose: bool) -> int:
    """Save the trace, print where it is, and give exit code 70."""
    trace = "".join(traceback.format_exception(bug))
    command = " ".join([PROGRAM, *without_secrets(args)])
    version = ".".join(map(str, sys.version_info[:3]))
    head = f"command: {command}\nversion: {__version__}, Python {version} on {sys.platform}\n\n"
    saved = _save(head + trace)
    where = f"saved in {saved}" if saved else "that -v shows"
    print(  # noqa: T201
        f"error: a bug in kubectl-kruise {__version__} (Python {version}): {type(bug).__name__}: {bug}\n"
        f"  command: {command}\n"
        f"  please report it with the trace {where}",
        file=sys.stderr,
    )
    if verbose:
        print(trace, end="", file=sys.stderr)  # noqa: T201
    return EXIT_CODE


def without_secrets(args: Sequence[str]) -> list[str]:
    """Mask the values of flags that carry credentials."""
    shown: list[str] = []
    masked = False
    for word in args:
        name, equals, _ = word.partition("=")
        if masked:
            shown.append("***")
            masked = False
        elif name in _SECRET:
            shown.append(f"{name}=***" if equals else name)
            masked = not equals
        else:
            shown.append(word)
    return shown


def _save(text: str) -> Path | None:
    """Write a file of our own; None where nothing can be written, as in a read-only container."""
    try:
        descriptor, name = tempfile.mkstemp(prefix="kubectl-kruise-", suffix=".trace")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return None
    return Path(name)

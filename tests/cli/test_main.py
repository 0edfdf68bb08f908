"""The error boundary and the manners of the process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_kruise import __version__
from kubectl_kruise.__main__ import Terminated, main
from kubectl_kruise.cli import app
from kubectl_kruise.cli.bug import without_secrets
from kubectl_kruise.cli.manual.topics import EXIT_CODES
from kubectl_kruise.errors import (
    ConflictError,
    ExpiredError,
    KruiseError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    ServerError,
    TimedOutError,
    UnreachableError,
    UsageError,
)


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr(app, "run", run)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KruiseError("x"), 1), (ServerError("x"), 1), (ExpiredError("x"), 1), (UsageError("x"), 2),
        (RefusedError("x"), 3), (NotFoundError("x"), 4), (NotAllowedError("x"), 5), (ConflictError("x"), 6),
        (UnreachableError("x"), 7), (TimedOutError("x"), 124), (KeyboardInterrupt(), 130),
        (Terminated(15), 143),
    ],
    ids=repr,
)  # fmt: skip
def test_every_failure_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    failing(monkeypatch, error)

    assert main(["get"]) == code
    assert code in {each.code for each in EXIT_CODES}
    out, err = capsys.readouterr()
    assert out == ""
    assert err == ("error: x\n" if isinstance(error, KruiseError) else "")


def test_an_error_is_three_lines_and_a_traceback_only_with_v(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, UsageError("what", cause="why", hint="how"))

    main(["get"])
    assert capsys.readouterr().err == "error: what\n  cause: why\n  hint: how\n"
    main(["get", "-v"])
    assert "Traceback" in capsys.readouterr().err


def test_a_bug_is_one_paragraph_with_the_trace_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    failing(monkeypatch, ZeroDivisionError("by zero"))

    assert main(["get", "--token", "secret"]) == 70

    err = capsys.readouterr().err
    (saved,) = tmp_path.iterdir()
    python = ".".join(map(str, sys.version_info[:3]))
    assert err == (
        f"error: a bug in kubectl-kruise {__version__} (Python {python}): ZeroDivisionError: by zero\n"
        "  command: kubectl kruise get --token ***\n"
        f"  please report it with the trace saved in {saved}\n"
    )
    assert "ZeroDivisionError" in saved.read_text()
    assert "secret" not in saved.read_text().splitlines()[0]


def test_a_bug_where_nothing_can_be_written_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    failing(monkeypatch, ZeroDivisionError("by zero"))

    assert main(["get"]) == 70
    assert "please report it with the trace that -v shows\n" in capsys.readouterr().err


def test_credentials_are_masked_in_every_spelling() -> None:
    assert without_secrets(["--token=a", "--password", "b", "get"]) == [
        "--token=***",
        "--password",
        "***",
        "get",
    ]


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kubectl-kruise {__version__}\n"


def test_a_reader_that_has_gone_is_no_error() -> None:
    """The pipe is closed before anything is written to it."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "kubectl_kruise", "--help"], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("closing", "line", "code", "said"),
    [
        pytest.param(">&-", "help exit-codes", 0, b"", id="stdout"),
        pytest.param("2>&-", "frobnicate", 2, b"", id="stderr"),
        pytest.param("<&-", "convert -f -", 2, b"error: no StatefulSet of apps.kruise.io in -", id="stdin"),
        pytest.param("<&- >&- 2>&-", "help exit-codes", 0, b"", id="all of them"),
    ],
)
def test_a_closed_stream_is_an_empty_one(closing: str, line: str, code: int, said: bytes) -> None:
    command = f'exec "$0" -m kubectl_kruise {line} {closing}'
    done = subprocess.run(["/bin/sh", "-c", command, sys.executable], capture_output=True, timeout=60)

    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.partition(b"\n")[0] == said


SIGNALLED = """
import os, signal
from kubectl_kruise import __main__
from kubectl_kruise.cli import app
def run(args): os.kill(os.getpid(), getattr(signal, args[0])); signal.pause()
app.run = run
__main__.run()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals_end_quietly_with_their_number(name: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-c", SIGNALLED, name], capture_output=True, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")
    assert hasattr(signal, name)


def test_a_stream_that_knows_no_unicode_is_no_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kubectl_kruise", "help", "rollout", "pause"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"jsonpath=?" in done.stdout

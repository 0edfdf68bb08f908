"""Entry point: fast paths, the only error boundary, exit codes (cli.md §3.5, §3.7)."""

import io
import os
import sys
from types import FrameType, TracebackType
from typing import NoReturn

from kubectl_kruise import __version__


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP came: unwind as for Ctrl-C, and leave with 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(argv: list[str] | None = None) -> int:
    """Run one command line and give its exit code; errors are printed here and nowhere else."""
    args = sys.argv[1:] if argv is None else argv
    if args == ["--version"]:
        print(f"kubectl-kruise {__version__}")
        return 0
    if args[:1] == ["__complete"]:
        from kubectl_kruise.cli.completion.complete import complete

        return complete(args[1:])
    from kubectl_kruise.errors import KruiseError

    try:
        from kubectl_kruise.cli.app import run as run_command

        return run_command(args)
    except KruiseError as error:
        print("\n".join(error.lines()), file=sys.stderr)
        if _verbose(args):
            _print_trace(error)
        return error.exit_code
    except Terminated as end:
        return 128 + end.number
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except Exception as bug:
        from kubectl_kruise.cli.bug import report_bug

        return report_bug(bug, args, verbose=_verbose(args))


def run() -> NoReturn:
    """Console entry: `main` with the manners of a process — signals, and silence when the reader has gone."""
    import gc
    import signal

    # Start-up makes objects that all stay: one look through them for garbage takes 5 % of a short command.
    gc.set_threshold(100_000)
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without the sign gets another, not a traceback
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, _terminate)
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has no reader; without this the interpreter complains while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    sys.stderr.flush()
    # All is put away by now; taking the interpreter apart would cost more than many a command, and `rollout status`
    # is to end with the write that completes the rollout.
    os._exit(code)


def _open_closed_streams() -> None:
    """Give closed standard streams the null device: the next file or connection would get the number of one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


def _verbose(args: list[str]) -> bool:
    own = args[: args.index("--")] if "--" in args else args
    return any(word[:2] == "-v" or word.partition("=")[0] == "--v" for word in own)


def _print_trace(error: BaseException) -> None:
    import traceback

    trace: TracebackType | None = error.__traceback__
    traceback.print_exception(type(error), error, trace, file=sys.stderr)


if __name__ == "__main__":
    run()

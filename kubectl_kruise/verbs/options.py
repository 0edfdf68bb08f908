"""List the options that every command takes."""

import typer

from kubectl_kruise.cli.flags import CONNECTION, TALK, Flag
from kubectl_kruise.cli.manual.layout import pairs


def options(ctx: typer.Context) -> None:
    """List the options that every command takes.

    They may stand before or after the command.
    """
    ctx.obj.show(f"Connection:\n{pairs([_row(flag) for flag in CONNECTION])}\n\n")
    ctx.obj.show(f"Output:\n{pairs([_row(flag) for flag in TALK])}\n")


def _row(flag: Flag) -> tuple[str, str]:
    long = "" if flag.name == flag.short else f"--{flag.name}"
    short = f"-{flag.short}" if flag.short else ""
    value = "" if flag.kind == "switch" else f" {flag.metavar}"
    return ", ".join(filter(None, (short, long))) + value, flag.summary

"""What a stream can show: colour, animation, symbols, width. The only place that decides (cli.md §3.3)."""

import os
import shutil
from collections.abc import Mapping
from typing import TextIO


def wants_color(stream: TextIO, choice: str = "auto", env: Mapping[str, str] = os.environ) -> bool:
    """Decide by flag, then NO_COLOR, the force variables, CLICOLOR, TERM and whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if env.get("NO_COLOR"):
        return False
    if any(env.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return env.get("CLICOLOR") != "0" and env.get("TERM", "dumb") != "dumb" and stream.isatty()


def wants_live(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Decide whether the screen may be redrawn: a terminal that can, and not a CI log."""
    return stream.isatty() and env.get("TERM", "dumb") != "dumb" and not env.get("CI")


def wants_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")


def width_of(stream: TextIO, env: Mapping[str, str] = os.environ) -> int | None:
    """Give the columns to fill: COLUMNS, then the terminal's, then 80; None for no limit, in a pipe."""
    if env.get("COLUMNS", "").isdigit() and int(env["COLUMNS"]):
        return int(env["COLUMNS"])
    return shutil.get_terminal_size().columns if stream.isatty() else None

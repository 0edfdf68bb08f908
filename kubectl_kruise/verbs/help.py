"""Explain a command or a topic."""

from typing import Annotated

import typer

from kubectl_kruise.cli import command
from kubectl_kruise.cli.catalog import PROGRAM
from kubectl_kruise.cli.manual.overview import group_help, root_help
from kubectl_kruise.cli.manual.topics import TOPICS
from kubectl_kruise.cli.words import Overview, find_verb

Words = Annotated[list[str] | None, typer.Argument(metavar="[COMMAND | TOPIC]", show_default=False)]


def help_(ctx: typer.Context, words: Words = None) -> None:
    """Explain a command or a topic, e.g. exit-codes.

    Examples:
      kubectl kruise help rollout undo
      kubectl kruise help exit-codes
    """
    if words and words[0] in TOPICS:
        ctx.obj.show(TOPICS[words[0]])
        return
    found = find_verb(words or [])
    if isinstance(found, Overview):
        ctx.obj.show(group_help(found.group) if found.group else root_help())
        return
    verb = command.build(found.verb)
    with verb.make_context(f"{PROGRAM} {found.verb.words}", [], resilient_parsing=True) as inner:
        ctx.obj.show(command.help_text(verb, inner))

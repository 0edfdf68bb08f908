"""Turn one verb's function into a command: kubectl's flag syntax, plain help, errors of our own family."""

import inspect
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import typer
from typer._click.exceptions import ClickException  # typer vendors click without exporting its errors
from typer.core import TyperCommand

from kubectl_kruise.cli.bundles import unfold
from kubectl_kruise.cli.catalog import PROGRAM, Verb
from kubectl_kruise.cli.flags import parse_switch
from kubectl_kruise.cli.manual.layout import pairs, paragraph
from kubectl_kruise.errors import UsageError

BARE_VALUES: Final = {"--dry-run": "server", "--fail-fast": "default", "--rewrite-refs": "all"}
"""Options that may stand without a value, and what they mean then. As in kubectl, a value needs the `=`."""

OWN: Final = "Options"
_NEGATIVE: Final = r"-[0-9.]+%?"
_INTEGERS: Final = re.compile(r" is not a valid int(eger)?( range)?\b")
_RANGE: Final = re.compile(r"; x>=[0-9.]+(?=\]$)")
_NUMBERS: Final = re.compile(r" is not a valid float( range)?\b")


class VerbCommand(TyperCommand):
    """A command that reads `--switch=false`, `--dry-run` and `-o=json`, and prints help in kubectl's order."""

    arguments = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _click_spelling(args, self.params))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_text(self, ctx))


def build(verb: Verb) -> TyperCommand:
    """Import the verb's module and give its command."""
    module, _, function = verb.target.partition(":")
    callback: Callable[..., Any] = getattr(import_module(f"kubectl_kruise.verbs.{module}"), function)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(verb.words, cls=VerbCommand, context_settings={"help_option_names": ["-h", "--help"]})(
        unfold(callback)
    )
    command = typer.main.get_command(app)
    assert isinstance(command, VerbCommand)  # noqa: S101 (one command without a callback is never a group)
    command.arguments = verb.arguments
    return command


def run(verb: Verb, args: Sequence[str], *, obj: object) -> int:
    """Run one verb and give its exit code: what its function returns, 0 for None."""
    command = build(verb)
    try:
        with command.make_context(f"{PROGRAM} {verb.words}", list(args), obj=obj) as ctx:
            result = command.invoke(ctx)
    except typer.Exit as done:
        return done.exit_code
    except ClickException as wrong:
        message = _NUMBERS.sub(
            " is not a number", _INTEGERS.sub(" is not a whole number", wrong.format_message())
        )
        raise UsageError(
            message[:1].lower() + message[1:].rstrip("."), hint=f"{PROGRAM} {verb.words} --help"
        ) from None
    return result if isinstance(result, int) else 0


def help_text(command: TyperCommand, ctx: Any) -> str:
    """Give the help of one verb: summary, text, examples, options by group, usage."""
    summary, text, examples = split_doc(command.callback)
    blocks = [paragraph(summary)]
    if text:
        blocks.append("\n\n".join(paragraph(part) for part in text.split("\n\n")))
    if examples:
        blocks.append("Examples:\n" + "\n".join(f"  {line}".rstrip() for line in examples.splitlines()))
    for title, rows in option_groups(command, ctx).items():
        blocks.append(f"{title}:\n{pairs(rows)}")
    blocks.append(f"Usage:\n  {usage(command, ctx)}")
    blocks.append(f'Use "{PROGRAM} options" for the options that every command takes.')
    return "\n\n".join(blocks) + "\n"


def split_doc(function: Callable[..., Any] | None) -> tuple[str, str, str]:
    """Cut a docstring into summary, text and what stands below `Examples:`."""
    head, _, examples = inspect.cleandoc(inspect.getdoc(function) or "").partition("Examples:\n")
    summary, _, text = head.strip().partition("\n\n")
    return " ".join(summary.split()), text.strip(), inspect.cleandoc(examples)


def option_groups(command: TyperCommand, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """Give help rows of the options by heading: the verb's own first, the others in the order of declaration."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for param in command.params:
        record = param.get_help_record(ctx)
        if param.param_type_name == "option" and record:
            title = getattr(param, "rich_help_panel", None) or OWN
            names, text = record
            groups.setdefault(title, []).append((names, _RANGE.sub("", text)))
    return dict(sorted(groups.items(), key=lambda group: group[0] != OWN))


def usage(command: TyperCommand, ctx: Any) -> str:
    own = getattr(command, "arguments", "")
    arguments = [
        own or param.make_metavar(ctx=ctx) for param in command.params if param.param_type_name == "argument"
    ]
    if own.startswith("-- "):  # what stands behind it is another command's
        return f"{ctx.command_path} [options] {own}"
    return " ".join([ctx.command_path, *arguments, "[options]"])


def _click_spelling(args: Sequence[str], params: Sequence[Any]) -> list[str]:
    """Rewrite kubectl's spellings (`--x=false`, bare `--dry-run`, `-o=json`) to those that click reads."""
    switches = {
        name: param.secondary_opts
        for param in params
        if getattr(param, "is_bool_flag", False)
        for name in param.opts
    }
    words: list[str] = []
    for at, word in enumerate(args):
        if word == "--":
            return [*words, *args[at:]]
        name, equals, value = word.partition("=")
        if word in BARE_VALUES and any(word in param.opts for param in params):
            words.append(f"{word}={BARE_VALUES[word]}")
        elif equals and name in switches:
            words += _switch(name, switches[name], on=parse_switch(value, name))
        elif re.fullmatch(_NEGATIVE, word) and not (at and args[at - 1].startswith("-")):
            raise UsageError(f"{word}: a negative number needs an option in front of it")
        elif equals and len(name) == 2 and name[0] == "-" and name[1].isalpha():
            words += [name, value]
        else:
            words.append(word)
    return words


def _switch(name: str, opposite: Sequence[str], *, on: bool) -> list[str]:
    if on:
        return [name]
    return [opposite[0]] if opposite else []

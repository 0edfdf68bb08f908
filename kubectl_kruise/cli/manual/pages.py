"""Man pages from the same texts as --help."""

from typing import Any

from kubectl_kruise import __version__
from kubectl_kruise.cli import command
from kubectl_kruise.cli.catalog import PROGRAM, SECTIONS, Verb, visible
from kubectl_kruise.cli.flags import GLOBAL
from kubectl_kruise.cli.manual.topics import EXIT_CODES


def page_name(verb: Verb) -> str:
    return f"kubectl-kruise-{verb.words.replace(' ', '-')}.1"


def verb_page(verb: Verb) -> str:
    """Give the man page of one verb in man(7) macros."""
    built = command.build(verb)
    with built.make_context(f"{PROGRAM} {verb.words}", [], resilient_parsing=True) as ctx:
        return _verb_page(verb, built, ctx)


def root_page() -> str:
    """Give the page of the command itself: what there is, options of every command, exit codes."""
    parts = [
        _head("kubectl-kruise", "steer OpenKruise workloads"),
        ".SH SYNOPSIS\n.B kubectl kruise\n.I COMMAND\n[options]\n.SH COMMANDS",
    ]
    for section in SECTIONS:
        parts.append(f".SS {_text(section)}")
        parts += [_term(verb.words, verb.summary) for verb in visible() if verb.section == section]
    parts.append(".SH OPTIONS OF EVERY COMMAND")
    parts += [_term(f"-{f.short}" if f.name == f.short else f"--{f.name}", f.summary) for f in GLOBAL]
    parts.append(".SH EXIT STATUS")
    parts += [_term(str(each.code), each.meaning) for each in EXIT_CODES]
    return "\n".join(parts) + "\n"


def _verb_page(verb: Verb, built: Any, ctx: Any) -> str:
    summary, text, examples = command.split_doc(built.callback)
    parts = [
        _head(page_name(verb)[:-2], summary.rstrip(".")),
        f".SH SYNOPSIS\n{_text(command.usage(built, ctx))}",
        ".SH DESCRIPTION",
        _text(summary),
        *(f".PP\n{_text(' '.join(part.split()))}" for part in text.split("\n\n") if part),
    ]
    for title, rows in command.option_groups(built, ctx).items():
        heading = "OPTIONS" if title == command.OWN else f"OPTIONS: {title.upper()}"
        parts.append(f".SH {heading}")
        parts += [_term(name, what) for name, what in rows]
    if examples:
        parts.append(f".SH EXAMPLES\n.nf\n{_text(examples)}\n.fi")
    parts.append(".SH SEE ALSO\n.BR kubectl\\-kruise (1)")
    return "\n".join(parts) + "\n"


def _head(name: str, summary: str) -> str:
    release = f'"kubectl-kruise {__version__}"'
    return f'.TH {_text(name).upper()} 1 "" {release} "kubectl kruise"\n.SH NAME\n{_text(name)} \\- {_text(summary)}'


def _term(name: str, text: str) -> str:
    return f".TP\n.B {_text(name)}\n{_text(text)}"


def _text(text: str) -> str:
    """Escape what troff would read as a command."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)

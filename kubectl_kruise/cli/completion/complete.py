"""Completion of commands and options from the catalog and checked-in option names: no network, no Typer.

Called by kubectl through `kubectl_complete-kruise`, and by the shells' own scripts, as `__complete WORD… LAST`.
Prints one choice per line with a tab and its description, then cobra's directive `:4` (no file names).
"""

from collections.abc import Sequence
from typing import Final

from kubectl_kruise.cli.catalog import GROUPS, VERBS, Verb
from kubectl_kruise.cli.flags import GLOBAL

FILES, NO_FILES = ":0", ":4"
GATES: Final = "--feature-gates"
_TAKES_FILES: Final = (
    "-f",
    "--filename",
    "--kubeconfig",
    "--certificate-authority",
    "--client-certificate",
    "--client-key",
)


def complete(words: Sequence[str]) -> int:
    """Print the choices for the last of `words`."""
    found, directive = choices(words)
    print("".join(f"{name}\t{text}\n" for name, text in found) + directive)  # noqa: T201
    return 0


def choices(words: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    """Give (value, description) for the last word, and the directive."""
    *before, last = words or [""]
    if before and before[-1] in _TAKES_FILES:
        return [], FILES
    if "--" in before:
        return [], FILES
    if before and before[-1] == GATES:
        return _gates(last), NO_FILES
    if last.startswith(f"{GATES}="):
        return [(f"{GATES}={name}", text) for name, text in _gates(last.partition("=")[2])], NO_FILES
    if before and before[-1] in _taking_values():
        return [], NO_FILES
    plain = _without_flags(before)
    if last.startswith("-"):
        return _matching(_options(plain), last), NO_FILES
    return _matching(_commands(plain), last), NO_FILES


def _gates(typed: str) -> list[tuple[str, str]]:
    """Complete the last of the gates typed so far, with the value that it does not have by default."""
    from kubectl_kruise.engine.gates import DEFAULTS

    done, comma, last = typed.rpartition(",")
    rows = [
        (f"{name}={str(not on).lower()}", f"{'on' if on else 'off'} by default")
        for name, on in DEFAULTS.items()
    ]
    return [(f"{done}{comma}{name}", text) for name, text in _matching(rows, last)]


def _taking_values() -> set[str]:
    return {
        name
        for flag in GLOBAL
        if flag.kind in ("text", "many")
        for name in (f"--{flag.name}", f"-{flag.short}")
    }


def _without_flags(words: Sequence[str]) -> list[str]:
    taking = _taking_values()
    plain: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in taking
        else:
            plain.append(word)
    return plain


def _commands(before: Sequence[str]) -> list[tuple[str, str]]:
    shown = [verb for verb in VERBS if not verb.hidden]
    if not before:
        groups = {group.words: group.summary for group in GROUPS}
        first: dict[str, str] = {}
        for verb in shown:
            first.setdefault(verb.words.partition(" ")[0], verb.summary)
        return [(name, groups.get(name, summary)) for name, summary in first.items()]
    if len(before) == 1 and (below := [v for v in shown if v.words.startswith(f"{before[0]} ")]):
        return [(v.words.split()[1], v.summary) for v in below]
    if before[0] == "help":
        return _commands(before[1:])
    if list(before) == ["completion"]:
        return [(shell, "") for shell in ("bash", "zsh", "fish", "powershell", "kubectl")]
    return []


def _options(before: Sequence[str]) -> list[tuple[str, str]]:
    from kubectl_kruise.cli.completion.optionlist import OPTIONS

    verb = _verb(before)
    own = list(OPTIONS.get(verb.words, ())) if verb else []
    return [*own, *((f"--{flag.name}", flag.summary) for flag in GLOBAL if len(flag.name) > 1)]


def _verb(before: Sequence[str]) -> Verb | None:
    known = {name: verb for verb in VERBS for name in (verb.words, *verb.aliases)}
    return known.get(" ".join(before[:2])) or known.get(before[0] if before else "")


def _matching(rows: list[tuple[str, str]], start: str) -> list[tuple[str, str]]:
    return [(name, text) for name, text in rows if name.startswith(start)]

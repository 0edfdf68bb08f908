"""Find the verb that the first words of a command line name, without loading anything."""

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_kruise.cli.catalog import GROUPS, PROGRAM, VERBS, Verb
from kubectl_kruise.errors import UsageError


class Found(NamedTuple):
    verb: Verb
    rest: list[str]


class Overview(NamedTuple):
    """Help is wanted for the root ("") or for a group of verbs."""

    group: str


HELP_FLAGS = ("-h", "--help")


def find_verb(args: Sequence[str]) -> Found | Overview:
    """Split off the words of the verb; UsageError with a suggestion where there is none."""
    if not args or args[0] in HELP_FLAGS:
        return Overview("")
    first, rest = args[0], list(args[1:])
    # A verb may have others below it (`migrate cleanup`): the longer name is meant.
    if rest and (longer := _verb_named(f"{first} {rest[0]}")):
        return Found(longer, rest[1:])
    verb = _verb_named(first)
    if verb:
        return Found(verb, rest)
    if not any(group.words == first for group in GROUPS):
        raise _unknown(first, "", "--" if first.startswith("-") else "")
    if not rest or rest[0] in HELP_FLAGS:
        return Overview(first)
    raise _unknown(rest[0], first, "--" if rest[0].startswith("-") else "")


def names_below(group: str) -> list[str]:
    """Give the words that may follow `group` ("" for the root), groups included, in the catalog's order."""
    if group:
        return [
            verb.words.split()[1] for verb in VERBS if verb.words.startswith(f"{group} ") and not verb.hidden
        ]
    return list(dict.fromkeys(verb.words.split()[0] for verb in VERBS if not verb.hidden))


def _verb_named(words: str) -> Verb | None:
    return next((verb for verb in VERBS if words == verb.words or words in verb.aliases), None)


def _unknown(word: str, group: str, option: str) -> UsageError:
    from difflib import get_close_matches

    where = f"{PROGRAM} {group}".rstrip()
    if option:
        return UsageError(f"unknown option {word!r} before a command", hint=f"{where} --help")
    near = get_close_matches(word, names_below(group), n=3, cutoff=0.6)
    guess = f"did you mean {' or '.join(f'{where} {name}' for name in near)}?" if near else f"{where} --help"
    return UsageError(f'unknown command "{word}" for "{where}"', hint=guess)

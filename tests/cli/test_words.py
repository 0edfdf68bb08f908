import pytest

from kubectl_kruise.cli.words import Found, Overview, find_verb
from kubectl_kruise.errors import UsageError


@pytest.mark.parametrize(
    ("args", "words", "rest"),
    [
        (["rollout", "pause", "cs/web"], "rollout pause", ["cs/web"]),
        (["get"], "get", []),
        (["scale-down", "x"], "scaledown", ["x"]),
        (["set", "image", "-h"], "set image", ["-h"]),
    ],
    ids=str,
)
def test_the_first_words_name_the_verb(args: list[str], words: str, rest: list[str]) -> None:
    found = find_verb(args)

    assert isinstance(found, Found)
    assert (found.verb.words, found.rest) == (words, rest)


@pytest.mark.parametrize(
    ("args", "group"),
    [([], ""), (["--help"], ""), (["rollout"], "rollout"), (["rollout", "-h"], "rollout")],
    ids=str,
)
def test_a_group_alone_shows_what_is_in_it(args: list[str], group: str) -> None:
    assert find_verb(args) == Overview(group)


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (
            ["rollout", "pausr"],
            [
                'error: unknown command "pausr" for "kubectl kruise rollout"',
                "  hint: did you mean kubectl kruise rollout pause?",
            ],
        ),
        (
            ["xyz"],
            ['error: unknown command "xyz" for "kubectl kruise"', "  hint: kubectl kruise --help"],
        ),
        (
            ["--frob", "get"],
            ["error: unknown option '--frob' before a command", "  hint: kubectl kruise --help"],
        ),
    ],
    ids=str,
)
def test_unknown_words_are_answered_with_a_suggestion(args: list[str], lines: list[str]) -> None:
    with pytest.raises(UsageError) as refusal:
        find_verb(args)

    assert refusal.value.lines() == lines


def test_the_longer_of_two_names_is_meant() -> None:
    for words, verb, rest in (
        (["migrate", "deployment/web"], "migrate", ["deployment/web"]),
        (["migrate", "cleanup", "deployment/web"], "migrate cleanup", ["deployment/web"]),
        (["migrate", "deployment", "cleanup"], "migrate", ["deployment", "cleanup"]),
        (["migrate"], "migrate", []),
    ):
        found = find_verb(words)
        assert isinstance(found, Found)
        assert (found.verb.words, found.rest) == (verb, rest)

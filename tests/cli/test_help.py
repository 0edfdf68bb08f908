"""Help as it is read: whole texts for the root and one verb, and the promises that hold for all."""

import inspect

import pytest

from kubectl_kruise.cli import app
from kubectl_kruise.cli.catalog import GROUPS, SECTIONS, VERBS
from kubectl_kruise.cli.manual.overview import root_help


def test_the_root_lists_every_verb_once_under_its_section() -> None:  # cli.md B37
    text = root_help()

    for verb in VERBS:
        lines = [line for line in text.splitlines() if line.startswith(f"  {verb.words}  ")]
        assert len(lines) == (0 if verb.hidden else 1)
    assert [line.rstrip(":") for line in text.splitlines() if line.rstrip(":") in SECTIONS] == list(SECTIONS)


def test_the_root_fits_100_columns() -> None:
    assert max(map(len, root_help().splitlines())) <= 100


def test_limits_of_numbers_are_no_part_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["sandbox", "start", "--help"]) == 0

    text = capsys.readouterr().out
    assert "[default: 3]" in text
    assert "x>=" not in text


def test_what_stands_behind_two_dashes_comes_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["sandbox", "exec", "--help"]) == 0

    assert "  kubectl kruise sandbox exec [options] -- COMMAND [ARGS...]\n" in capsys.readouterr().out


def test_every_group_has_verbs_and_every_first_word_is_a_group_or_a_verb() -> None:
    first = {verb.words.split()[0] for verb in VERBS if " " in verb.words} - {verb.words for verb in VERBS}

    assert first == {group.words for group in GROUPS}


def test_the_help_of_a_verb_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["rollout", "partition", "-h"]) == 0

    assert (
        capsys.readouterr().out
        == inspect.cleandoc(
            """
        Set how many pods stay on the old revision.

        The partition is the number or the share of pods that are kept: 0 updates all pods, 100% none. It is
        the last word of the command, or a step with --by. That of an Advanced StatefulSet is a number of
        pods, those of the lowest ordinals unless its update is unordered; a share is turned into one.

        Examples:
          # Update 40 % of the pods
          kubectl kruise rollout partition cloneset/web 60%
          # Let ten more pods be updated
          kubectl kruise rollout partition cloneset/web --by -10

        Options:
            --by STEP  Move it: +2, -2, +10%, -10%.

        Objects:
            -f, --filename FILE    Objects named in manifests; - reads stdin.
            -R, --recursive        Read folders given to -f to the bottom.
            -l, --selector LABELS  Objects with these labels, e.g. app=web.
            -A, --all-namespaces   In all namespaces.
            --all                  All objects of the kinds given.

        Writing:
            --dry-run <none|client|server>  Only try: client sends nothing, server lets the API server
                                            judge. Without a value: server.  [default: none]
            -o, --output FORMAT             Print the object: json, yaml, name or jsonpath=….
            --wait                          Wait until the rollout that this starts is done.
            --timeout DURATION              Longest wait, e.g. 5m; 0 waits for ever.  [default: 0]
            --resource-version VERSION      Refuse unless the object has this version.
            --if-revision REVISION          Refuse unless this is the update revision: a number, a name or a
                                            hash.
            --strict                        Refuse when there is nothing to change, or when somebody else
                                            manages the object.
            -y, --yes                       Do not ask.

        Usage:
          kubectl kruise rollout partition (KIND/NAME | KIND NAME)... (PARTITION | --by STEP) [options]

        Use "kubectl kruise options" for the options that every command takes.
        """
        )
        + "\n"
    )


@pytest.mark.parametrize("topic", ["exit-codes"])
def test_topics_are_explained(capsys: pytest.CaptureFixture[str], topic: str) -> None:
    assert app.run(["help", topic]) == 0
    assert "124  timed out" in capsys.readouterr().out


@pytest.mark.parametrize("args", [["help"], ["help", "rollout"]], ids=" ".join)
def test_help_of_nothing_and_of_groups_needs_no_topic(
    capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    assert app.run(args) == 0
    shown = capsys.readouterr().out
    assert app.run([*args[1:], "--help"]) == 0
    assert capsys.readouterr().out == shown


def test_options_lists_what_stands_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["options"]) == 0
    assert "    -n, --namespace NAME " in capsys.readouterr().out

"""Catalog, help, man pages, completions: one truth, written once (honesty)."""

import shlex
from pathlib import Path

import pytest

from kubectl_kruise.cli import command
from kubectl_kruise.cli.catalog import VERBS, Verb
from kubectl_kruise.cli.flags import GLOBAL, split_flags
from kubectl_kruise.cli.manual.generate import generated, main
from kubectl_kruise.cli.words import Found, find_verb
from kubectl_kruise.errors import KruiseError
from tests.places import ROOT


def named(verb: Verb) -> str:
    return verb.words


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_the_catalog_and_the_docstring_say_the_same(verb: Verb) -> None:
    assert command.split_doc(command.build(verb).callback)[0] == verb.summary


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_every_option_is_explained(verb: Verb) -> None:
    built = command.build(verb)

    silent = [param.opts for param in built.params if param.param_type_name == "option" and not param.help]

    assert silent == []


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_no_option_of_a_verb_hides_one_of_every_command(verb: Verb) -> None:
    everywhere = {f"--{flag.name}" for flag in GLOBAL} | {f"-{flag.short}" for flag in GLOBAL if flag.short}

    own = {
        name
        for param in command.build(verb).params
        if param.param_type_name == "option"
        for name in param.opts
    }

    assert not own & everywhere


def examples() -> list[str]:
    texts = [command.split_doc(command.build(verb).callback)[2] for verb in VERBS]
    lines = "\n".join(texts).replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("kubectl kruise ")]


@pytest.mark.parametrize("line", examples())
def test_every_example_is_a_command_line_that_can_be_read(line: str) -> None:  # cli.md B25a
    words = shlex.split(line.partition(" | ")[0].partition(" > ")[0])[2:]
    found = find_verb(split_flags(words)[0])

    assert isinstance(found, Found)
    with command.build(found.verb).make_context(found.verb.words, list(found.rest)) as ctx:
        assert ctx.command is not None


def test_there_are_examples_to_read() -> None:
    assert len(examples()) > 10


@pytest.mark.parametrize(("path", "text"), generated().items(), ids=list(generated()))
def test_what_is_checked_in_is_what_is_generated(path: str, text: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == text, "run `make docs`"


def test_no_man_page_is_left_over() -> None:
    assert {f"man/{page.name}" for page in (ROOT / "man").iterdir()} == {
        p for p in generated() if p.startswith("man/")
    }


def test_generating_removes_pages_of_verbs_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "kubectl-kruise-gone.1").write_text("")

    main([str(tmp_path)])

    written = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert written == set(generated())


def test_a_verb_that_fails_to_read_its_options_is_a_usage_error() -> None:
    (verb,) = (verb for verb in VERBS if verb.words == "scale")

    with pytest.raises(KruiseError, match="'--replicas': 'many' is not a whole number"):
        command.run(verb, ["cs/web", "--replicas", "many"], obj=None)

import re
import shlex

import pytest

from kubectl_kruise.cli import command
from kubectl_kruise.cli.flags import split_flags
from kubectl_kruise.cli.manual.generate import fill_readme
from kubectl_kruise.cli.words import Found, find_verb
from tests.places import ROOT

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ kubectl kruise ([^\n#>|]+)", README, re.MULTILINE)


def test_lists_are_those_of_the_command() -> None:
    assert fill_readme(README) == README, "run `make docs`"


def test_there_are_commands_to_check() -> None:
    assert len(COMMANDS) > 15


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_is_one_that_the_command_takes(line: str) -> None:
    words = split_flags(shlex.split(line))[0]
    found = find_verb(words)

    assert isinstance(found, Found)
    with command.build(found.verb).make_context(found.verb.words, list(found.rest)) as ctx:
        assert ctx.command is not None


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_every_link_leads_somewhere(target: str) -> None:
    assert target.startswith("https://") or (ROOT / target).exists()

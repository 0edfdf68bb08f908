"""The page about migrations says what the program does: every code, every command line, every right."""

import re
import shlex

import pytest
import yaml

from kubectl_kruise.cli import command
from kubectl_kruise.cli.flags import split_flags
from kubectl_kruise.cli.words import Found, find_verb
from kubectl_kruise.operations.migrate.before.surveying import ADOPTING
from tests.places import ROOT

PAGE = (ROOT / "docs" / "migration.md").read_text("utf-8")
COMMANDS = re.findall(
    r"`kubectl kruise (migrate [^`]+)`|^\$ kubectl kruise (migrate [^\n#>]+)", PAGE, re.MULTILINE
)
SOURCES = [path.read_text("utf-8") for path in (ROOT / "kubectl_kruise").rglob("*.py")]


@pytest.mark.parametrize("line", sorted({first or second for first, second in COMMANDS}))
def test_every_command_line_is_one_that_the_command_takes(line: str) -> None:
    words = split_flags(shlex.split(line.partition(" >")[0]))[0]
    found = find_verb(words)

    assert isinstance(found, Found)
    with command.build(found.verb).make_context(found.verb.words, list(found.rest)) as ctx:
        assert ctx.command is not None


def test_every_code_is_explained_and_no_other() -> None:
    used = {code for source in SOURCES for code in re.findall(r'"([EP]-[A-Z0-9]+(?:-[A-Z0-9]+)*)"', source)}
    told = set(re.findall(r"\b[EP]-[A-Z0-9]+(?:-[A-Z0-9]+)*\b", PAGE))

    assert len(used) > 30
    assert told == used


def test_the_role_allows_what_is_asked_for() -> None:
    match = re.search(r"<!-- rights -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    allowed = {
        (verb, group, resource)
        for rule in yaml.safe_load(match[1])["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }

    for right in ADOPTING:
        assert (right.verb, right.kind.group, right.kind.plural) in allowed

import shutil
from pathlib import Path

import pytest

from demo.chapters import CHAPTERS, GUESTBOOK, PODS
from demo.stage import play, stage
from demo.tour import commands, expected_commands, tour
from tests.places import ROOT

pytestmark = pytest.mark.long


def test_the_page_tells_what_the_demo_plays() -> None:
    page = (ROOT / "docs" / "tour.md").read_text("utf-8")

    assert commands(page) == expected_commands(), "run `make docs`"
    for chapter in CHAPTERS:
        assert chapter.text in page, "run `make docs`"


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl on the PATH: run `make test`")
def test_the_demo_plays_to_its_end() -> None:
    """Every command ends with the exit code that the tour promises; pods keep names and addresses where it says so."""
    with stage() as environment:
        played = play(environment, lambda _: None)

    page = tour([steps for _, steps in played])
    assert commands(page) == expected_commands()
    before, after = _listings(played, PODS)[:2]
    assert [(row[0], row[-4]) for row in before] == [(row[0], row[-4]) for row in after]
    assert [row[3] for row in before] == ["0", "0"]
    assert [row[3] for row in after] == ["1", "1"]
    old, new = _listings(played, GUESTBOOK)
    assert [row[:3] for row in old] == [row[:3] for row in new]
    assert [row[3] for row in old] == ["0", "0", "0"]
    assert [row[3] for row in new] == ["1", "1", "1"]
    assert not Path(environment["SANDBOX_KUBECONFIG"]).exists()


def _listings(played: list, command: str) -> list[list[list[str]]]:
    """Give what each step that begins with a command has listed, as rows of words without the headers."""
    return [
        [line.split() for line in done.output.splitlines()[1:]]
        for _, steps in played
        for done in steps
        if done.step.command.startswith(command)
    ]

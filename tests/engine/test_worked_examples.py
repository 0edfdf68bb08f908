"""The specification's worked examples are the tests' rows: none may get lost."""

import re

import pytest

from tests.places import ROOT

SECTION = re.search(
    r"^## 28\..*?(?=^## 29\.)",
    (ROOT / "docs" / "spec" / "cloneset.md").read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)
NUMBERS = [int(number) for number in re.findall(r"^\*\*(\d+)\.", SECTION[0] if SECTION else "", re.MULTILINE)]
CITED = re.compile(r"\bex\. (\d+)\b(?!–)")
SOURCES = sorted(
    path
    for folder in ("engine", "controllers", "sandbox")
    for path in (ROOT / "tests" / folder).rglob("*.py")
)


def test_the_examples_are_numbered_without_a_gap() -> None:
    assert list(range(1, 60)) == NUMBERS


@pytest.fixture(scope="module")
def cited() -> set[int]:
    """The numbers that rows and tests cite; module docstrings name ranges and do not count."""
    rows = (re.sub(r'\A""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL) for path in SOURCES)
    return {int(number) for text in rows for number in CITED.findall(text)}


@pytest.mark.parametrize("number", NUMBERS)
def test_every_worked_example_is_a_test(number: int, cited: set[int]) -> None:
    assert number in cited

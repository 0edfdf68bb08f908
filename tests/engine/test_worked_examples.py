"""The specification's worked examples are the tests' rows: none may get lost."""

import re

import pytest

from tests.places import ROOT

ORDERED = re.findall(
    r"^\| (X-\d+)|^# (X-\d+)|^\* (X-\d+)",
    (ROOT / "docs" / "spec" / "advanced-statefulset.md").read_text("utf-8"),
    re.MULTILINE,
)
X_EXAMPLES = sorted({next(filter(None, found)) for found in ORDERED}, key=lambda name: int(name[2:]))
X_CITED = re.compile(r"\b(X-\d+)\b")
SECTION = re.search(
    r"^## 28\..*?(?=^## 29\.)",
    (ROOT / "docs" / "spec" / "cloneset.md").read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)
NUMBERS = [int(number) for number in re.findall(r"^\*\*(\d+)\.", SECTION[0] if SECTION else "", re.MULTILINE)]
CITED = re.compile(r"\bex\. (\d+)\b(?!–)")
SOURCES = sorted(
    path
    for folder in ("convert", "engine", "controllers", "sandbox")
    for path in (ROOT / "tests" / folder).rglob("*.py")
)


def test_the_examples_are_numbered_without_a_gap() -> None:
    assert list(range(1, 60)) == NUMBERS


@pytest.fixture(scope="module")
def rows() -> list[str]:
    """The tests without their module docstrings, which name ranges and do not count."""
    return [re.sub(r'\A""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL) for path in SOURCES]


@pytest.fixture(scope="module")
def cited(rows: list[str]) -> set[int]:
    return {int(number) for text in rows for number in CITED.findall(text)}


def test_the_examples_of_the_ordered_kind_are_numbered_without_a_gap() -> None:
    assert [f"X-{number}" for number in range(1, 110)] == X_EXAMPLES


@pytest.mark.parametrize("name", X_EXAMPLES)
def test_every_worked_example_of_the_ordered_kind_is_a_test(name: str, rows: list[str]) -> None:
    assert any(name in X_CITED.findall(text) for text in rows)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_worked_example_is_a_test(number: int, cited: set[int]) -> None:
    assert number in cited

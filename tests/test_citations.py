"""Code and tests cite the specifications by file and section: each that is cited is there."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.places import ROOT

SPEC = ROOT / "docs" / "spec"
CITED = re.compile(r"([a-z][\w-]*\.md) (§[\d.]+\d|§\d)((?:(?:, | and | to |–)§?\d[\d.]*\b)*)")
HEADING = re.compile(r"^#+ §?(\d+(?:\.\d+)*)\b", re.MULTILINE)


@cache
def _sections(name: str) -> frozenset[str]:
    return frozenset(HEADING.findall((SPEC / name).read_text("utf-8")))


def _found() -> Iterator[tuple[str, str, str]]:
    """Give (where, file, section) for every citation in the package and its tests."""
    for folder in ("kubectl_kruise", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for cited, first, more in CITED.findall(path.read_text("utf-8")):
                for section in (first[1:], *re.findall(r"§(\d+(?:\.\d+)*)", more)):
                    yield str(path.relative_to(ROOT)), cited, section


CITATIONS = tuple(_found())


@pytest.mark.parametrize("name", sorted({cited for _, cited, _ in CITATIONS}))
def test_every_section_that_is_cited_is_there(name: str) -> None:
    missing = [
        f"{where}: {name} §{section}"
        for where, cited, section in CITATIONS
        if cited == name and section not in _sections(name)
    ]

    assert not missing

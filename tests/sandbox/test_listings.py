"""What a real server with Kruise's CRDs said of its kinds, and how it listed them, is what the sandbox says and lists."""

import json

import pytest

from tests.conformance.questions.listings import Listings
from tests.places import DATA

FOLDER = DATA / "listings"
ENTRIES = [
    json.loads(line)
    for path in sorted(FOLDER.glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def listings():
    asked = Listings()
    yield asked
    asked.close()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['id']} {entry['topic']}")
def test_kinds_and_tables_are_as_recorded(listings, entry):
    assert listings.check(entry) == ""

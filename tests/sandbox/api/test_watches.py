"""How long a watch lasts (sandbox-apiserver.md W6)."""

import pytest

from kubectl_kruise.sandbox.api.watches import watch_seconds


@pytest.mark.parametrize(
    ("asked", "seconds"), [("1", 1.0), ("300", 300.0), ("-1", 0.0)], ids=["a second", "as kubectl", "less than none"]
)  # fmt: skip
def test_the_client_says_how_long(asked, seconds):
    assert watch_seconds({"timeoutSeconds": [asked]}) == seconds


@pytest.mark.parametrize("query", [{}, {"timeoutSeconds": ["0"]}], ids=["nothing said", "none"])
def test_otherwise_it_lasts_for_long(query):
    assert 1800 <= watch_seconds(query) <= 3600

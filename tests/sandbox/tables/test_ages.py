"""Ages in Go's short form (sandbox-apiserver.md TB3)."""

from datetime import UTC, datetime, timedelta

import pytest

from kubectl_kruise.sandbox.tables import age

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"), (-1, "0s"), (0, "0s"), (119, "119s"), (120, "2m"), (200, "3m20s"), (599, "9m59s"), (600, "10m"),
        (10799, "179m"), (10800, "3h"), (18720, "5h12m"), (28800, "8h"), (172799, "47h"), (172800, "2d"), (190800, "2d5h"),
        (691200, "8d"), (63071999, "729d"), (63072000, "2y"), (63158400, "2y1d"), (252288000, "8y"),
    ],
)  # fmt: skip
def test_ages(seconds, text):
    born = (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    assert age(born, NOW) == text


@pytest.mark.parametrize(
    ("timestamp", "text"), [(None, "<unknown>"), ("", "<unknown>"), ("soon", "<invalid>")]
)
def test_no_time(timestamp, text):
    assert age(timestamp, NOW) == text

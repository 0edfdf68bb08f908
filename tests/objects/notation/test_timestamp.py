"""Times and ages."""

import pytest

from kubectl_kruise.objects.notation.timestamp import parse_rfc3339, rfc3339, short_age

MINUTE, HOUR, DAY = 60, 3600, 86400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"), (-1, "0s"), (0, "0s"), (119.9, "119s"), (2 * MINUTE, "2m"), (5 * MINUTE + 7, "5m7s"),
        (10 * MINUTE + 7, "10m"), (179 * MINUTE, "179m"), (3 * HOUR, "3h"), (3 * HOUR + 20 * MINUTE, "3h20m"),
        (8 * HOUR + 20 * MINUTE, "8h"), (47 * HOUR, "47h"), (2 * DAY, "2d"), (2 * DAY + 5 * HOUR, "2d5h"),
        (8 * DAY + 5 * HOUR, "8d"), (729 * DAY, "729d"), (730 * DAY, "2y"), (800 * DAY, "2y70d"), (2920 * DAY, "8y"),
    ],
)  # fmt: skip
def test_ages_read_as_in_kubectls_tables(seconds: float, text: str) -> None:
    assert short_age(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T01:01:00+01:00", 60.0),
        ("1970-01-01T00:01:00.250000Z", 60.25),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_times_are_read_in_any_zone(text: str | None, seconds: float | None) -> None:
    assert parse_rfc3339(text) == seconds


def test_times_are_written_in_whole_seconds() -> None:
    assert rfc3339(60.9) == "1970-01-01T00:01:00Z"

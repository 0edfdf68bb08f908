"""Counts, shares and durations."""

import pytest

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.notation.number import (
    UNLIMITED,
    atoi,
    format_duration,
    legacy,
    parse_duration,
    parse_int_or_percent,
    parse_timeout,
    partition,
    scale_unavailable,
    strict,
    surge,
    unavailable,
)

PARTITIONS = [  # cloneset.md §6.3
    (10, "50%", 5), (10, "55%", 6), (7, "33.4%", 3), (3, "99%", 2), (2, "99%", 1), (1, "1%", 1), (99, "99%", 98),
    (10, "99.9%", 9), (10, "100%", 10), (5, "100.0%", 4), (10, "120%", 10), (10, 12, 10), (0, "50%", 0),
    (None, "1%", 1), (10, None, 0), (3, "-20%", 0), (10, "1e1%", 1), (10, "+5%", 1), (5, "00100%", 4),
]  # fmt: skip


@pytest.mark.parametrize(("replicas", "value", "kept"), PARTITIONS)
def test_partition_keeps(replicas: int | None, value: int | str | None, kept: int) -> None:
    assert partition(value, replicas) == kept


STRICT = [
    ("5", "invalid type: string is not a percentage"),
    ("", "invalid type: string is not a percentage"),
    (None, "nil value for IntOrString"),
    ("%", 'strconv.ParseFloat: parsing "": invalid syntax'),
    ("5 %", 'strconv.ParseFloat: parsing "5 ": invalid syntax'),
    ("5%%", 'strconv.ParseFloat: parsing "5%": invalid syntax'),
    ("1_0%", 'strconv.ParseFloat: parsing "1_0": invalid syntax'),
    ("1e400%", 'strconv.ParseFloat: parsing "1e400": value out of range'),
]


@pytest.mark.parametrize(("value", "message"), STRICT)
def test_strict_refuses_as_the_webhook_does(value: str | None, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        strict(value, 10)

    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("value", "total", "up", "count"),
    [
        ("-50%", 3, True, -1),
        ("-20%", 3, True, 0),
        (-1, 3, True, -1),
        ("15%", 10, False, 1),
        ("inf%", 3, True, -(2**63)),
    ],
)
def test_strict_counts(value: int | str, total: int, up: bool, count: int) -> None:
    assert strict(value, total, up=up) == count


LEGACY = [("5", 100, True, 5), ("12.5%", 100, True, 0), ("%2%5%", 10, True, 3), ("x", 10, True, 0), (7, 1, True, 7),
          (-1, 9, True, -1), ("", 9, True, 0), ("25%", 10, False, 2)]  # fmt: skip


@pytest.mark.parametrize(("value", "total", "up", "count"), LEGACY)
def test_legacy_reads_what_it_can(value: int | str, total: int, up: bool, count: int) -> None:
    """cloneset.md §6.2, §26 Q4."""
    assert legacy(value, total, up=up) == count


TWENTY_AND_THIRTY = [(1, 1, 0, 1, 0), (3, 1, 0, 1, 0), (4, 1, 0, 2, 1), (5, 1, 1, 2, 1), (7, 2, 1, 3, 2),
                     (10, 2, 2, 3, 3), (11, 3, 2, 4, 3)]  # fmt: skip


@pytest.mark.parametrize(("replicas", "up20", "down20", "up30", "down30"), TWENTY_AND_THIRTY)
def test_surge_turns_rounding_down(replicas: int, up20: int, down20: int, up30: int, down30: int) -> None:
    """cloneset.md §6.4."""
    assert (unavailable(None, replicas), unavailable(None, replicas, surge=1)) == (up20, down20)
    assert (unavailable("30%", replicas), unavailable("30%", replicas, surge=2)) == (up30, down30)


def test_no_surge_while_paused() -> None:
    assert (surge("30%", 10), surge("30%", 10, paused=True), surge(None, 10)) == (3, 0, 0)


def test_scaling_out_is_unlimited_unless_said() -> None:
    assert (scale_unavailable(None, 3), scale_unavailable("20%", 7)) == (UNLIMITED, 2)


@pytest.mark.parametrize(("text", "value"), [("3", 3), (" -1 ", -1), ("25%", "25%"), ("33.4%", "33.4%")])
def test_reads_what_a_user_types(text: str, value: int | str) -> None:
    assert parse_int_or_percent(text) == value


@pytest.mark.parametrize("text", ["", "%", "a%", "3.5", "5 %", "99999999999", "5%%", "inf%"])
def test_names_a_bad_share(text: str) -> None:
    with pytest.raises(ValueError, match="neither a whole number nor a percentage"):
        parse_int_or_percent(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1m30s", 90), ("300ms", 0.3), ("1.5h", 5400), ("2d", 172800), ("45", 45), ("0", 0), ("1h5m", 3900)],
)
def test_reads_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "1x", "-5s", "1m 30s", "1m30", "one"])
def test_names_a_bad_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(90, "1m30s"), (0, "0s"), (7200, "2h"), (0.25, "250ms"), (45.9, "45s")]
)
def test_writes_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"), [("", None), ("0", None), ("0s", None), ("5", 5.0), ("1m30s", 90.0), ("250ms", 0.25)]
)
def test_timeouts(text, seconds):
    assert parse_timeout(text, "--timeout") == seconds


def test_a_timeout_that_is_none_names_its_flag():
    with pytest.raises(UsageError, match=r"^--timeout: "):
        parse_timeout("soon", "--timeout")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("-0", 0), ("+12", 12), ("007", 7), ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63))],
)  # fmt: skip
def test_numbers_as_go_reads_them(text: str, number: int) -> None:
    assert atoi(text) == number


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "invalid syntax"), ("1_0", "invalid syntax"), (" 1", "invalid syntax"), ("é", "invalid syntax"),
     ("9223372036854775808", "value out of range"), ("1" * 5000, "value out of range")],
)  # fmt: skip
def test_what_go_does_not_read_as_a_number(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="parsing") as refused:
        atoi(text)

    assert str(refused.value) == f'strconv.Atoi: parsing "{text}": {why}'

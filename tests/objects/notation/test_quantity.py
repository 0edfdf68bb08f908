"""Quantities print as the API server stores them; every row was printed by Kubernetes' own library."""

import pytest

from kubectl_kruise.objects.notation.quantity import (
    FORMAT_MESSAGE,
    NUMBER_MESSAGE,
    SUFFIX_MESSAGE,
    canonical_quantity,
    parse_quantity,
)

CANONICAL = [
    ("0", "0"),
    ("0m", "0"),
    ("1000m", "1"),
    ("1024Mi", "1Gi"),
    ("1.5Gi", "1536Mi"),
    ("0.5Ki", "512"),
    ("1e3", "1e3"),
    ("1E3", "1E3"),
    ("1E", "1E"),
    ("1000E", "1"),
    ("1e22", "10e21"),
    ("0.1", "100m"),
    (".5", "500m"),
    ("5.", "5."),
    ("+", "0"),
    ("-1", "-1"),
    ("-0.5", "-500m"),
    ("0.0000000001", "1n"),
    ("-0.0000000001", "-1n"),
    ("100n", "100n"),
    ("9223372036854775808", "9223372036854775808"),
    ("9223372036854775808Ki", "9223372036854775807"),
    ("8Ei", "9223372036854775807"),
    ("1e-10", "1e-9"),
    ("2048Ki", "2Mi"),
    ("1.1Ki", "1126400m"),
    ("1.0Ki", "1Ki"),
    ("1023Ki", "1023Ki"),
    ("-2048Ki", "-2Mi"),
    ("1024", "1024"),
    ("0Ki", "0"),
    ("1e+3", "1e+3"),
    ("1e03", "1e03"),
    ("00010", "00010"),
    ("+1", "+1"),
    ("100000k", "100M"),
    ("1e1", "10"),
    ("1E5", "100e3"),
    ("1.5e3", "1500"),
    ("1e-07", "100e-9"),
    ("1.500", "1.500"),
    ("+5Ki", "+5Ki"),
    ("010Ki", "010Ki"),
    ("1.000", "1"),
    ("1.5", "1500m"),
    ("1000", "1k"),
    ("0.5k", "500"),
    ("1.500k", "1.500k"),
    ("1k", "1k"),
    ("10.", "10."),
    ("1e0", "1e0"),
    ("1e2", "100"),
    ("12345678901234567890", "12345678901234567890"),
    ("0.1234567890", "123456789n"),
    ("1.123456789k", "1.123456789k"),
    ("3000e3", "3e6"),
    ("-0", "0"),
    ("000", "0"),
    ("-00Mi", "0"),
    ("1023.5Mi", "1048064Ki"),
    ("1048576.5Ki", "1073742336"),
    ("-1.5Gi", "-1536Mi"),
    ("-1023", "-1023"),
    ("1500n", "1500n"),
    ("9.3E", "9300P"),
    ("1e19", "10e18"),
    ("1000P", "1E"),
    ("n", "0"),
    ("1e400", "10e399"),
]

REFUSED = [
    ("", FORMAT_MESSAGE),
    ("1.2.3", FORMAT_MESSAGE),
    ("1ki", SUFFIX_MESSAGE),
    ("1Kb", FORMAT_MESSAGE),
    ("1m1", SUFFIX_MESSAGE),
    ("1e", SUFFIX_MESSAGE),
    ("Ei", NUMBER_MESSAGE),
]


@pytest.mark.parametrize(("written", "stored"), CANONICAL, ids=[repr(row[0]) for row in CANONICAL])
def test_stores_one_spelling(written: str, stored: str) -> None:
    assert canonical_quantity(written) == stored


@pytest.mark.parametrize(("written", "message"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_refuses_in_the_words_of_the_server(written: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_quantity(written)

    assert str(refused.value) == message


@pytest.mark.parametrize(("number", "stored"), [(1, "1"), (0.5, "500m"), (2.0, "2"), (1024, "1024")])
def test_reads_json_numbers(number: float, stored: str) -> None:
    assert canonical_quantity(number) == stored


def test_amounts_compare_across_notations() -> None:
    assert parse_quantity("1Ki").nanos > parse_quantity("1k").nanos


def test_hostile_exponents_cost_nothing() -> None:
    with pytest.raises(ValueError, match="suffix"):
        parse_quantity("1e999999999")

"""What a plain scalar is; every row was answered by kubectl, for which the same words stood in a kubeconfig."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.cluster.goyaml import read_first

NUMBERS = (
    "12345 0x1F 0X1f 0o17 0O7 017 08 0b101 0B1 -0b1 1_000 0_1 1_ 1e3 1E3 12e03 .5 5. +1 -1 +.5 -0 00 .inf +.inf -.INF .nan "
    ".NaN 9223372036854775808"
)
TEXTS = (
    "0o8 0b2 _1 1.5e . 1.2.3 +.nan inf nan NaN 10:30 1:2:3 2024-01-01 2020-1-1 2024-01-01T00:00:00Z tRue yEs oN nullx 0x 0xG "
    "0b e3 é a:b a#b 1-1 x"
)


@pytest.mark.parametrize("text", NUMBERS.split())
def test_numbers(text):
    assert type(read_first(f"a: {text}")["a"]) in (int, float)


@pytest.mark.parametrize("text", TEXTS.split())
def test_texts(text):
    assert read_first(f"a: {text}") == {"a": text}


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("true True TRUE yes Yes YES y Y on On ON", True),
        ("false False FALSE no No NO n N off Off OFF", False),
        ("null Null NULL ~", None),
    ],
    ids=["true", "false", "null"],
)
def test_words_with_a_meaning(words, value):
    assert [read_first(f"a: {word}")["a"] for word in words.split()] == [value] * len(words.split())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 017", {"a": 15}),
        ("a: 0x_1F", {"a": 31}),
        ("a: 18446744073709551616", {"a": 18446744073709551616.0}),
        ("a: !!str 017", {"a": "017"}),
        ("a: '017'", {"a": "017"}),
        ("a: !mine 1x", {"a": "1x"}),
        ("a: !mine [1]", {"a": [1]}),
        ("a: !mine {b: 1}", {"a": {"b": 1}}),
        ("a: !!binary aGk=", {"a": "hi"}),
        ("a: !!timestamp 2024-01-01", {"a": "2024-01-01"}),
        ("a: <<", {"a": "<<"}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: 1\na: 2", {"a": 2}),
        ("a: 1\n---\nb: [", {"a": 1}),
        ("", None),
        ("# nothing\n", None),
        ("---\n---\na: 1", None),
    ],
)
def test_documents(text, value):
    assert read_first(text) == value


@settings(max_examples=200, deadline=None)
@given(st.text("0123456789_+-.eExXoObB:", min_size=1, max_size=8))
def test_a_scalar_of_digits_and_signs_is_read_or_refused(text):
    try:
        found = read_first(f"a: {text}\n")
    except yaml.YAMLError:
        return
    assert isinstance(found["a"], str | int | float | list | dict)

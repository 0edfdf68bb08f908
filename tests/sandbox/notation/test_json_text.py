"""JSON and YAML from clients: what Go reads is read, what could bring a server down is refused."""

import json

import pytest
import yaml

from kubectl_kruise.sandbox.notation.json_text import DEEPEST, parse_json
from kubectl_kruise.sandbox.notation.yaml_text import Loader, problem_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(b'"\xff"', "\ufffd", id="bytes that are no UTF-8 are replaced"),
        pytest.param(b'"\\ud800x"', "\ufffdx", id="half of a surrogate pair is replaced"),
        pytest.param(b'"\\ud83d\\ude00"', "\U0001f600", id="a whole pair stays"),
        pytest.param(b"99999999999999999999999", 1e23, id="a number beyond 64 bits becomes floating"),
        pytest.param(
            b"[" * DEEPEST + b"]" * DEEPEST,
            json.loads("[" * DEEPEST + "]" * DEEPEST),
            id="deep, not too deep",
        ),
        pytest.param(b'"' + b"[" * 300 + b'"', "[" * 300, id="brackets in a text are no nesting"),
    ],
)
def test_odd_texts_are_read_as_go_reads_them(text, value):
    assert parse_json(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "unexpected end of JSON input"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b"[-Infinity]", "invalid character 'I' in numeric literal"),
        (b"[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64"),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b'"\x01"', r"invalid character '\x01' in string literal"),
        (b"[" * 100_000, "invalid character '[' exceeded max depth"),
        (b'{"a":' * 1000 + b"1" + b"}" * 1000, "invalid character '{' exceeded max depth"),
    ],
)
def test_what_is_no_json_is_told_in_the_words_of_go(text, why):
    with pytest.raises(ValueError) as failure:
        parse_json(text)

    assert str(failure.value) == why


LAUGHTER = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LAUGHTER, "yaml: document contains excessive aliasing"),
        ("a: &a {b: *a}", "yaml: an anchor's value contains itself"),
        ("? [a, b]\n: 1\n", "yaml: invalid map key"),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        ("\0", "yaml: control characters are not allowed"),
    ],
)
def test_yaml_that_no_object_is_made_of(text, why):
    with pytest.raises(yaml.YAMLError) as failure:
        Loader(text).get_first_data()

    assert problem_of(failure.value) == why


def test_tags_run_nothing():
    assert Loader("a: !!python/object/apply:os.system ['true']").get_first_data() == {"a": ["true"]}


def test_scalars_are_gos():
    text = "{a: 2026-11-30, b: 10:30, c: 1e3, d: yes, e: 0o17, f: 1.5}"

    assert Loader(text).get_first_data() == {
        "a": "2026-11-30", "b": "10:30", "c": 1000, "d": True, "e": 15, "f": 1.5,
    }  # fmt: skip


def test_keys_are_text():
    assert Loader("{2: x, true: v, null: z}").get_first_data() == {"2": "x", "true": "v", "null": "z"}


def test_of_several_documents_the_first_counts():
    assert Loader("a: 1\n---\nb: 2\n").get_first_data() == {"a": 1}


def test_keys_that_stand_twice_are_noted_with_their_lines():
    loader = Loader("a: 1\nb: {c: 1,\n  c: 2}\na: 2\n")
    loader.get_first_data()

    assert sorted(loader.repeated) == [
        'line 3: key "c" already set in map',
        'line 4: key "a" already set in map',
    ]

"""JSON merge patches (sandbox-apiserver.md P4; the examples of RFC 7396)."""

import pytest

from kubectl_kruise.sandbox.patches import PatchError, merge_patch, parse_patch


@pytest.mark.parametrize(
    ("live", "patch", "wanted"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"a": 1}, {"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}),
    ],
)
def test_merges(live, patch, wanted):
    before = dict(live)

    assert merge_patch(live, patch) == wanted
    assert live == before


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (None, "Invalid JSON Patch"),
        (
            [1],
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            "x",
            "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
        ),
    ],
)
def test_only_an_object_is_a_patch(patch, text):
    with pytest.raises(PatchError) as failure:
        merge_patch({}, patch)

    assert (failure.value.code, failure.value.message) == (400, text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"a":', "error decoding patch: unexpected end of JSON input"),
        (b"", "error decoding patch: unexpected end of JSON input"),
        (b"{x}", "error decoding patch: invalid character 'x' looking for beginning of object key string"),
        (b"[x]", "error decoding patch: invalid character 'x' looking for beginning of value"),
        (b"\xff", "error decoding patch: invalid character 'ÿ' looking for beginning of value"),
    ],
)
def test_bodies_that_are_no_json(body, text):
    with pytest.raises(PatchError) as failure:
        parse_patch(body)

    assert failure.value.message == text

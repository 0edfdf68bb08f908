"""JSON patches, with the liberties of the API server (sandbox-apiserver.md P3)."""

import copy
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.sandbox.patches import PatchError, json_patch

LIVE = {"data": {"k": "v"}, "list": ["x", "y", "z"], "deep": {"a": {"b": 1}}}


def op(kind, path, **more):
    return {"op": kind, "path": path, **more}


@pytest.mark.parametrize(
    ("operations", "path", "wanted"),
    [
        ([op("add", "/data/k", value="2")], ("data",), {"k": "2"}),
        ([op("replace", "/data/zz", value="2")], ("data",), {"k": "v", "zz": "2"}),
        ([op("move", "/data/m", **{"from": "/data/k"})], ("data",), {"m": "v"}),
        ([op("copy", "/data/m", **{"from": "/data/missing"})], ("data",), {"k": "v", "m": None}),
        ([op("add", "/data/n")], ("data",), {"k": "v", "n": None}),
        ([op("test", "/data/missing"), op("remove", "/data/k")], ("data",), {}),
        ([op("add", "/list/0", value="e")], ("list",), ["e", "x", "y", "z"]),
        ([op("add", "/list/-", value="e")], ("list",), ["x", "y", "z", "e"]),
        ([op("add", "/list/-1", value="e")], ("list",), ["x", "y", "z", "e"]),
        ([op("remove", "/list/-1")], ("list",), ["x", "y"]),
        ([op("replace", "/list/01", value="e")], ("list",), ["x", "e", "z"]),
        ([op("move", "/list/0", **{"from": "/list/2"})], ("list",), ["z", "x", "y"]),
        ([op("add", "data/z", value=1)], ("z",), 1),
        (
            [op("test", "/deep", value={"a": {"b": 1}}), op("add", "/deep/a/c", value=2)],
            ("deep", "a"),
            {"b": 1, "c": 2},
        ),
        ([op("add", "/a~1b", value=1)], ("a/b",), 1),
        ([], ("data",), {"k": "v"}),
    ],
)
def test_operations(operations, path, wanted):
    found = json_patch(copy.deepcopy(LIVE), operations)
    for step in path:
        found = found[step]

    assert found == wanted


def test_an_empty_path_replaces_the_document():
    assert json_patch(LIVE, [op("replace", "", value={"only": "this"})]) == {"only": "this"}


@pytest.mark.parametrize(
    "operation",
    [
        op("remove", "/data/zz"),
        op("remove", "/list/-"),
        op("add", "/missing/zz", value=1),
        op("add", "/list/5", value="e"),
        op("replace", "/list/9", value="e"),
        op("move", "/data/m", **{"from": "/data/zz"}),
        op("test", "/data/zz", value="x"),
        op("test", "/deep/a/b", value=True),
        op("frobnicate", "/data/k"),
        {"op": "add", "value": 1},
        op("move", "/data/m"),
    ],
    ids=str,
)
def test_a_failing_operation_fails_the_patch(operation):
    before = copy.deepcopy(LIVE)

    with pytest.raises(PatchError) as failure:
        json_patch(LIVE, [op("add", "/data/first", value=1), operation])

    assert (failure.value.code, failure.value.reason, failure.value.details) == (422, "Invalid", {})
    assert before == LIVE


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        (
            {"op": "add"},
            400,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            [1],
            400,
            "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
        ),
        (
            [op("test", "/x")] * 10_001,
            413,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
        ),
    ],
    ids=["no list", "no operation", "too many"],
)
def test_bodies_that_are_no_patch(body, code, text):
    with pytest.raises(PatchError) as failure:
        json_patch(LIVE, body)

    assert (failure.value.code, failure.value.message) == (code, text)


PATHS = st.sampled_from(
    ["/data", "/data/k", "/list", "/list/0", "/list/-", "/deep/a", "/deep/a/b", "/new", "/list/7"]
)
VALUES = st.sampled_from([None, 1, "x", [], {"k": "v"}, ["x"]])
OPERATIONS = st.builds(
    lambda kind, path, source, value: {"op": kind, "path": path, "from": source, "value": value},
    st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), PATHS, PATHS, VALUES,
)  # fmt: skip


@given(st.lists(OPERATIONS, max_size=6))
def test_the_stored_object_is_never_changed(operations):
    live = copy.deepcopy(LIVE)

    with suppress(PatchError):
        json_patch(live, operations)

    assert live == LIVE


def test_copies_share_nothing_with_what_they_were_made_from():
    patched = json_patch(
        {"a": {"k": 1}},
        [
            {"op": "add", "path": "/a/l", "value": 2},
            {"op": "copy", "from": "/a", "path": "/a/b"},
            {"op": "replace", "path": "/a/k", "value": 3},
        ],
    )

    assert patched == {"a": {"k": 3, "l": 2, "b": {"k": 1, "l": 2}}}


def test_copies_of_copies_end_before_they_fill_the_memory():
    doubling = [{"op": "copy", "from": "/a", "path": f"/a/{index}"} for index in range(40)]

    with pytest.raises(PatchError) as failure:
        json_patch({"a": {"k": "x" * 1000}}, doubling)

    assert failure.value.code == 422


def test_an_index_of_thousands_of_digits_is_out_of_range():
    with pytest.raises(PatchError):
        json_patch({"a": [1]}, [{"op": "remove", "path": "/a/" + "9" * 5000}])

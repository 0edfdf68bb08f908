"""The fields in which two states differ (sandbox-apiserver.md F2, F3)."""

import pytest

from kubectl_kruise.sandbox.managed.comparing import compare
from tests.sandbox.managed.shapes import SHAPE

X, Y = 'k:{"name":"x"}', 'k:{"name":"y"}'


@pytest.mark.parametrize(
    ("old", "new", "removed", "modified", "added"),
    [
        pytest.param({"size": 1}, {"size": 1}, {}, {}, {}, id="the same"),
        pytest.param({"size": 1}, {"size": 2}, {}, {"f:size": {}}, {}, id="a value changed"),
        pytest.param({}, {"size": 2}, {}, {}, {"f:size": {}}, id="a value came"),
        pytest.param({"size": 2}, {}, {"f:size": {}}, {}, {}, id="a value went"),
        pytest.param(
            {"atom": {"a": "1", "b": "2"}}, {"atom": {"b": "2", "a": "1"}}, {}, {}, {}, id="keys have no order",
        ),
        pytest.param({"flag": True}, {"flag": 1}, {}, {"f:flag": {}}, {}, id="true is not 1"),
        pytest.param(
            {}, {"labels": {"a": "b"}}, {}, {}, {"f:labels": {".": {}, "f:a": {}}}, id="a map that comes is in the set"
        ),
        pytest.param(
            {"labels": {"a": "b"}}, {"labels": {"c": "d"}},
            {"f:labels": {"f:a": {}}}, {}, {"f:labels": {"f:c": {}}}, id="a map that stays is not",
        ),
        pytest.param({"labels": None}, {"labels": {"a": "b"}}, {}, {}, {"f:labels": {"f:a": {}}}, id="null is a value"),
        pytest.param({"labels": {}}, {"labels": None}, {}, {"f:labels": {}}, {}, id="an empty map is a leaf"),
        pytest.param({"atom": {"a": "b"}}, {"atom": {"a": "c"}}, {}, {"f:atom": {}}, {}, id="an atomic map is a leaf"),
        pytest.param({"words": ["a"]}, {"words": ["b"]}, {}, {"f:words": {}}, {}, id="so is a list without a type"),
        pytest.param(
            {"tags": ["a", "b"]}, {"tags": ["b", "c"]},
            {"f:tags": {'v:"a"': {}}}, {}, {"f:tags": {'v:"c"': {}}}, id="a set has its values",
        ),
        pytest.param(
            {"items": [{"name": "x", "v": 1}]}, {"items": [{"name": "y"}, {"name": "x", "v": 2}]},
            {}, {"f:items": {X: {"f:v": {}}}}, {"f:items": {Y: {".": {}, "f:name": {}}}}, id="items are told by their keys",
        ),
        pytest.param(
            {"items": [{"name": "x"}, {"name": "x"}]}, {"items": [{"name": "x"}, {"name": "x", "v": 1}]},
            {}, {"f:items": {X: {}}}, {}, id="duplicates are one value",
        ),
        pytest.param(
            {"free": {"a": {"b": 1}}}, {"free": {"a": 5}},
            {"f:free": {"f:a": {"f:b": {}}}}, {"f:free": {"f:a": {}}}, {}, id="another kind of value",
        ),
        pytest.param(
            {"free": {"a": 5}}, {"free": {"a": {"b": 1}}},
            {}, {"f:free": {"f:a": {}}}, {"f:free": {"f:a": {"f:b": {}}}}, id="and back",
        ),
    ],
)  # fmt: skip
def test_changes_are_told_field_by_field(old, new, removed, modified, added):
    assert compare(old, new, SHAPE) == (removed, modified, added)


@pytest.mark.parametrize(
    "old", [{"items": [{"name": "x", "v": 1}], "labels": {"a": "b"}, "free": {"l": [1]}}]
)
def test_what_went_is_what_would_have_come(old):
    assert compare(old, {}, SHAPE).removed == compare({}, old, SHAPE).added
